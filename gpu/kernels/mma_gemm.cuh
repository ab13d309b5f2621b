// GEMM by mma.sync: operand tiles come through a ring of cp.async stages, each warp owns 16×8
// blocks of outputs and continues their accumulators over all k tiles.
#pragma once

#include "gpu/kernels/dynamic_shared.cuh"
#include "gpu/kernels/finish.cuh"
#include "gpu/kernels/launch_plan.hpp"
#include "gpu/kernels/mma_instructions.cuh"
#include "gpu/kernels/mma_rows.hpp"

namespace whybits::gpu {

constexpr std::uint32_t copy_bytes = 16;  // of one cp.async
constexpr std::uint32_t most_stages = 24;
constexpr int few_blocks = 4, most_blocks = 16;  // of 16×8 outputs that a warp holds

/// Zero-fills the bytes beyond `valid`.
__device__ inline void copy_async(void* to, const void* from, std::uint32_t valid) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(valid)
               : "memory");
}
__device__ inline void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Until at most `pending` of the newest groups are under way. The instruction takes a constant.
template <int Most>
__device__ void wait_for_groups(std::uint32_t pending) {
  if constexpr (Most > 0) {
    if (pending < static_cast<std::uint32_t>(Most)) return wait_for_groups<Most - 1>(pending);
  }
  asm volatile("cp.async.wait_group %0;" ::"n"(Most) : "memory");
}
__device__ __noinline__ inline void wait_for_copies(std::uint32_t pending) {
  wait_for_groups<static_cast<int>(most_stages)>(pending);
}

/// A stage: block_m rows of A, then block_n rows of B, each row a k tile rounded up to whole steps
/// and one chunk to keep neighbouring rows off the same banks.
template <class Mma>
struct Stage {
  std::uint32_t row_bytes, bytes;

  __host__ __device__ explicit Stage(const GemmArgs& g) {
    const std::uint32_t tile = g.block_k * Mma::element_bytes;
    row_bytes = (tile + Mma::step_bytes - 1) / Mma::step_bytes * Mma::step_bytes + copy_bytes;
    bytes = (g.block_m + g.block_n) * row_bytes;
  }
};

template <class Mma>
__device__ void load_rows(const GemmArgs& g, unsigned char* to, const void* matrix,
                          std::uint32_t ld, std::uint32_t row, std::uint32_t rows,
                          std::uint32_t limit, std::uint32_t k, std::uint32_t k_end,
                          std::uint32_t row_bytes) {
  constexpr std::uint32_t size = Mma::element_bytes, elements = copy_bytes / size;
  const std::uint32_t chunks = (row_bytes - copy_bytes) / copy_bytes;
  for (std::uint32_t i = threadIdx.x; i < rows * chunks; i += blockDim.x) {
    const std::uint32_t r = row + i / chunks, inside = i % chunks * elements;
    const std::uint32_t left = inside < g.block_k && k + inside < k_end ? k_end - k - inside : 0;
    const std::uint32_t valid = r < limit ? min(min(left, g.block_k - inside), elements) * size : 0;
    const std::size_t from = valid > 0 ? (static_cast<std::size_t>(r) * ld + k + inside) * size : 0;
    copy_async(to + i / chunks * row_bytes + inside * size,
               static_cast<const unsigned char*>(matrix) + from, valid);
  }
}

template <class Mma>
__device__ void load_stage(const GemmArgs& g, const Stage<Mma>& stage, unsigned char* to,
                           const Segment& s, std::uint32_t k) {
  load_rows<Mma>(g, to, g.a, g.lda, s.row, g.block_m, g.m, k, s.k_end, stage.row_bytes);
  load_rows<Mma>(g, to + g.block_m * stage.row_bytes, g.b, g.ldb, s.column, g.block_n, g.n, k,
                 s.k_end, stage.row_bytes);
}

/// One matrix instruction on the 16×8 outputs at (row, column) of the tile, at `offset` bytes of k.
template <class Mma>
__device__ void multiply(typename Mma::Accumulator* d, const unsigned char* tile_a,
                         const unsigned char* tile_b, std::uint32_t row, std::uint32_t column,
                         std::uint32_t offset, std::uint32_t row_bytes) {
  using Register = typename Mma::Register;
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t piece = offset + lane % 4 * static_cast<std::uint32_t>(sizeof(Register));
  const unsigned char* a = tile_a + (row + lane / 4) * row_bytes + piece;
  const unsigned char* b = tile_b + (column + lane / 4) * row_bytes + piece;
  Register in_a[2 * Mma::chunks], in_b[Mma::chunks];
#pragma unroll
  for (int c = 0; c < Mma::chunks; ++c) {
    const std::uint32_t at = static_cast<std::uint32_t>(c * 4 * sizeof(Register));
    in_a[2 * c] = *reinterpret_cast<const Register*>(a + at);
    in_a[2 * c + 1] = *reinterpret_cast<const Register*>(a + 8 * row_bytes + at);
    in_b[c] = *reinterpret_cast<const Register*>(b + at);
  }
  Mma::step(d, in_a, in_b);
}

/// Blocks: how many 16×8 blocks of outputs a warp can hold.
template <class Mma, int Blocks>
__global__ __launch_bounds__(Blocks <= few_blocks ? 1024 : 256) void mma_gemm(const GemmArgs g) {
  using Accumulator = typename Mma::Accumulator;
  extern __shared__ __align__(16) unsigned char shared[];
  const Stage<Mma> stage(g);
  const std::uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  // Groups of warps share every k tile; the warps of a group share the outputs.
  const std::uint32_t warps = blockDim.x / 32 / g.warp_slices;
  const std::uint32_t group = warp / warps, member = warp % warps;
  const std::uint32_t columns = g.block_n / 8, blocks = g.block_m / 16 * columns;
  const std::uint32_t part = g.block_k / g.warp_slices;

  SegmentWalk walk(g);
  for (Segment s; walk.next(g, s);) {
    Accumulator total[Blocks][Mma::accumulators] = {};
    const auto stage_at = [&](std::uint32_t i) { return shared + i % g.stages * stage.bytes; };
    const auto compute = [&](std::uint32_t i) {
      const std::uint32_t k = s.k_begin + i * g.block_k;
      const std::uint32_t end = min(min(g.block_k, s.k_end - k), (group + 1) * part);
      const unsigned char* tile_a = stage_at(i);
      const unsigned char* tile_b = tile_a + g.block_m * stage.row_bytes;
      std::uint32_t issued = 0;
      for (std::uint32_t kk = group * part; kk < end; kk += Mma::k)
#pragma unroll
        for (int j = 0; j < Blocks; ++j) {
          const std::uint32_t block = member + j * warps;
          if (block >= blocks) continue;
          multiply<Mma>(total[j], tile_a, tile_b, block / columns * 16, block % columns * 8,
                        kk * Mma::element_bytes, stage.row_bytes);
          ++issued;
        }
      if (lane == 0) log_k_tile(g, s, k, static_cast<std::uint32_t>(tile_a - shared), warp, issued);
    };

    const std::uint32_t tiles = ceil_div(s.k_end - s.k_begin, g.block_k);
    const std::uint32_t ahead = g.stages - 1;  // tiles under way while one is computed
    for (std::uint32_t i = 0; i < tiles + ahead; ++i) {
      if (ahead > 0 && i >= ahead) {
        wait_for_copies(ahead - 1);
        __syncthreads();  // tile i − ahead is here for all, and all are done with the one before
      }
      if (i < tiles) load_stage(g, stage, stage_at(i), s, s.k_begin + i * g.block_k);
      commit_copies();
      if (i < ahead) continue;
      if (ahead == 0) {
        wait_for_copies(0);
        __syncthreads();
      }
      compute(i - ahead);
      if (ahead == 0) __syncthreads();
    }
    wait_for_copies(0);
    __syncthreads();

    // Each output of the warp: use(row and column in the tile, accumulator).
    const auto each = [&](auto&& use) {
#pragma unroll
      for (int j = 0; j < Blocks; ++j) {
        const std::uint32_t block = member + j * warps;
        if (block >= blocks) continue;
#pragma unroll
        for (int r = 0; r < 4; ++r)
          use(block / columns * 16 + lane / 4 + r / 2 * 8,
              block % columns * 8 + lane % 4 * 2 + r % 2, accumulator(total[j], r), j, r);
      }
    };
    if constexpr (std::is_same_v<Accumulator, float>) {
      if (g.warp_slices > 1) {  // the first group adds the others' totals, ascending
        float* others = reinterpret_cast<float*>(shared);
        const std::uint32_t outputs = g.block_m * g.block_n;
        const std::uint32_t used = min(g.warp_slices, ceil_div(s.k_end - s.k_begin, part));
        if (group > 0)
          each([&](std::uint32_t m, std::uint32_t n, float value, int, int) {
            others[(group - 1) * outputs + m * g.block_n + n] = value;
          });
        __syncthreads();
        if (group == 0)
          each([&](std::uint32_t m, std::uint32_t n, float value, int j, int r) {
            for (std::uint32_t p = 1; p < used; ++p)
              value = __fadd_rn(value, others[(p - 1) * outputs + m * g.block_n + n]);
            total[j][r] = value;
          });
        __syncthreads();
      }
    }
    const auto visit = [&](auto&& use) {
      if (group > 0) return;
      each([&](std::uint32_t m, std::uint32_t n, auto value, int, int) {
        if (s.row + m < g.m && s.column + n < g.n)
          use(static_cast<std::size_t>(s.row + m) * g.n + s.column + n, value);
      });
    };
    finish(g, s, visit, [] { __syncthreads(); }, threadIdx.x == 0);
  }
}

template <class Mma>
void launch_mma(const LaunchPlan& plan) {
  const GemmArgs& g = plan.args;
  const std::uint32_t warps = plan.warps / g.warp_slices;
  const std::uint32_t blocks = g.block_m / 16 * (g.block_n / 8);
  const std::uint32_t held = (blocks + warps - 1) / warps;
  const std::size_t merge =
      (g.warp_slices - 1) * static_cast<std::size_t>(g.block_m) * g.block_n * sizeof(float);
  const std::size_t ring = static_cast<std::size_t>(g.stages) * Stage<Mma>(g).bytes;
  const auto start = [&](auto kernel) {
    launch("mma.gemm", kernel,
           {plan.grid, 32 * plan.warps, ring > merge ? ring : merge, plan.stream}, g);
  };
  held <= few_blocks ? start(mma_gemm<Mma, few_blocks>) : start(mma_gemm<Mma, most_blocks>);
}

}  // namespace whybits::gpu
