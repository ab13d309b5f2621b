// GEMM by wgmma, compute capability 9.0: one warp copies operand tiles by the bulk tensor engine
// into a ring of stages, one or two warpgroups multiply. Any grid may be persistent.
#pragma once

#include "gpu/kernels/dynamic_shared.cuh"
#include "gpu/kernels/finish.cuh"
#include "gpu/kernels/hopper.cuh"
#include "gpu/kernels/launch_plan.hpp"
#include "gpu/kernels/ring.cuh"
#include "gpu/kernels/tensor_map.cuh"
#include "gpu/kernels/wgmma_instructions.cuh"

namespace whybits::gpu {

constexpr std::uint32_t most_warpgroups = 2;
constexpr std::uint32_t stage_alignment = 1024;  // of a 128-byte swizzle

/// A stage: panels of A, then panels of B. A panel has all rows and `swizzle` bytes of k.
struct WgmmaStage {
  std::uint32_t swizzle, panels, bytes_a, bytes;

  __host__ __device__ WgmmaStage(const GemmArgs& g, std::uint32_t element_bytes) {
    const std::uint32_t row = g.block_k * element_bytes;
    swizzle = row < 128 ? row : 128;
    panels = row / swizzle;
    bytes_a = g.block_m * row;
    const std::uint32_t used = bytes_a + g.block_n * row;
    bytes = (used + stage_alignment - 1) / stage_alignment * stage_alignment;
  }
};

template <class Operands>
__device__ void produce(const GemmArgs& g, const CUtensorMap* map_a, const CUtensorMap* map_b,
                        unsigned char* tiles, std::uint64_t* full, std::uint64_t* empty) {
  const WgmmaStage stage(g, Operands::element_bytes);
  const std::uint32_t panel_k = stage.swizzle / Operands::element_bytes;
  Ring ring{g.stages};
  SegmentWalk walk(g);
  for (Segment s; walk.next(g, s);)
    for (std::uint32_t k = s.k_begin; k < s.k_end; k += g.block_k) {
      hopper::wait(&empty[ring.stage], ring.parity ^ 1);
      unsigned char* to = tiles + ring.stage * stage.bytes;
      hopper::arrive_expecting(&full[ring.stage],
                               (g.block_m + g.block_n) * g.block_k * Operands::element_bytes);
      for (std::uint32_t p = 0; p < stage.panels; ++p) {
        hopper::copy_box(to + p * g.block_m * stage.swizzle, map_a, k + p * panel_k, s.row,
                         &full[ring.stage]);
        hopper::copy_box(to + stage.bytes_a + p * g.block_n * stage.swizzle, map_b, k + p * panel_k,
                         s.column, &full[ring.stage]);
      }
      ring.advance();
    }
}

template <class Operands, int N, bool Promote>
__device__ void consume(const GemmArgs& g, const unsigned char* tiles, std::uint64_t* full,
                        std::uint64_t* empty) {
  const WgmmaStage stage(g, Operands::element_bytes);
  const std::uint32_t warpgroup = threadIdx.x / 128, lane = threadIdx.x % 32;
  const std::uint32_t threads = g.block_m / 64 * 128;
  constexpr std::uint32_t step_bytes = 32;
  Ring ring{g.stages};
  SegmentWalk walk(g);
  for (Segment s; walk.next(g, s);) {
    float sum[N / 2] = {};
    float total[Promote ? N / 2 : 1] = {};
    std::uint32_t since = 0;  // products in `sum`
    bool first = true;
    const auto promote = [&] {
      if constexpr (Promote) {
#pragma unroll
        for (int r = 0; r < N / 2; ++r) {
          total[r] = first ? sum[r] : __fadd_rn(total[r], sum[r]);
          sum[r] = 0;
        }
        first = false;
        since = 0;
      }
    };
    for (std::uint32_t k = s.k_begin; k < s.k_end; k += g.block_k) {
      hopper::wait(&full[ring.stage], ring.parity);
      const unsigned char* tile_a = tiles + ring.stage * stage.bytes;
      const unsigned char* rows_a = tile_a + warpgroup * 64 * stage.swizzle;
      const unsigned char* rows_b = tile_a + stage.bytes_a;
      const std::uint32_t length = min(g.block_k, s.k_end - k);
      std::uint32_t issued = 0;
      for (std::uint32_t kk = 0; kk < length; kk += Operands::k) {
        const std::uint32_t byte = kk * Operands::element_bytes;
        const std::uint32_t panel = byte / stage.swizzle, inside = byte % stage.swizzle;
        hopper::begin_wgmma();
        Wgmma<Operands, N>::step(
            sum,
            hopper::matrix_descriptor(rows_a + panel * g.block_m * stage.swizzle + inside,
                                      stage.swizzle),
            hopper::matrix_descriptor(rows_b + panel * g.block_n * stage.swizzle + inside,
                                      stage.swizzle));
        hopper::end_wgmma();
        ++issued;
        since += Operands::k;
        if (Promote && since >= g.promotion) promote();
      }
      static_assert(step_bytes == Operands::k * Operands::element_bytes);
      if (lane == 0) {
        log_k_tile(g, s, k, ring.stage * stage.bytes, threadIdx.x / 32, issued);
        hopper::arrive(&empty[ring.stage]);
      }
      ring.advance();
    }
    if (Promote && since > 0) promote();
    const auto visit = [&](auto&& use) {
      const std::uint32_t row = s.row + threadIdx.x / 32 * 16 + lane / 4;
#pragma unroll
      for (int r = 0; r < N / 2; ++r) {
        const std::uint32_t m = row + r / 2 % 2 * 8;
        const std::uint32_t n = s.column + r / 4 * 8 + lane % 4 * 2 + r % 2;
        if (m >= g.m || n >= g.n) continue;
        if constexpr (Promote)
          use(static_cast<std::size_t>(m) * g.n + n, total[r]);
        else
          use(static_cast<std::size_t>(m) * g.n + n, sum[r]);
      }
    };
    const auto sync = [&] { asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory"); };
    finish(g, s, visit, sync, threadIdx.x == 0);
  }
}

template <class Operands, int N, bool Promote>
__global__ __launch_bounds__(most_warpgroups * 128 +
                             32) void wgmma_gemm(const GemmArgs g,
                                                 const __grid_constant__ CUtensorMap map_a,
                                                 const __grid_constant__ CUtensorMap map_b) {
  extern __shared__ unsigned char shared[];
  const std::uint32_t used = hopper::shared_address(shared) % stage_alignment;
  unsigned char* tiles = shared + (stage_alignment - used) % stage_alignment;
  const WgmmaStage stage(g, Operands::element_bytes);
  auto* full = reinterpret_cast<std::uint64_t*>(tiles + g.stages * stage.bytes);
  std::uint64_t* empty = full + g.stages;
  const std::uint32_t consumers = g.block_m / 64 * 4;  // warps
  if (threadIdx.x == 0) {
    for (std::uint32_t i = 0; i < g.stages; ++i) {
      hopper::init_barrier(&full[i], 1);
      hopper::init_barrier(&empty[i], consumers);
    }
    hopper::publish_barriers();
  }
  __syncthreads();
  if (threadIdx.x / 32 < consumers)
    consume<Operands, N, Promote>(g, tiles, full, empty);
  else if (threadIdx.x % 32 == 0)
    produce<Operands>(g, &map_a, &map_b, tiles, full, empty);
}

template <class Operands, int N, bool Promote = false>
void launch_wgmma(const LaunchPlan& plan) {
  const GemmArgs& g = plan.args;
  const WgmmaStage stage(g, Operands::element_bytes);
  const auto map = [&](const void* matrix, std::uint32_t ld, std::uint32_t rows,
                       std::uint32_t block) {
    return tensor_map({matrix, Operands::element_bytes, g.k, rows, ld,
                       stage.swizzle / Operands::element_bytes, block, stage.swizzle});
  };
  const std::size_t barriers = 2 * g.stages * sizeof(std::uint64_t);
  launch(
      "wgmma.gemm", wgmma_gemm<Operands, N, Promote>,
      {plan.grid, g.block_m / 64 * 128 + 32,
       stage_alignment + g.stages * static_cast<std::size_t>(stage.bytes) + barriers, plan.stream},
      g, map(g.a, g.lda, g.m, g.block_m), map(g.b, g.ldb, g.n, g.block_n));
}

/// One compiled kernel of the family.
struct WgmmaRow {
  std::uint32_t block_n;
  void (*launch)(const LaunchPlan&);
};

template <class Operands>
constexpr WgmmaRow wgmma_rows[] = {
    {8, launch_wgmma<Operands, 8>},     {32, launch_wgmma<Operands, 32>},
    {64, launch_wgmma<Operands, 64>},   {128, launch_wgmma<Operands, 128>},
    {256, launch_wgmma<Operands, 256>},
};
template <class Operands>
constexpr WgmmaRow wgmma_mixed_rows[] = {{64, launch_wgmma<Operands, 64>}};
template <class Operands>
constexpr WgmmaRow wgmma_promoting_rows[] = {
    {64, launch_wgmma<Operands, 64, true>},
    {128, launch_wgmma<Operands, 128, true>},
};

/// Starts the row that fits; false if there is none.
template <std::size_t Count>
bool start_wgmma(const WgmmaRow (&rows)[Count], const LaunchPlan& plan) {
  for (const WgmmaRow& row : rows) {
    if (row.block_n != plan.args.block_n) continue;
    row.launch(plan);
    return true;
  }
  return false;
}

}  // namespace whybits::gpu
