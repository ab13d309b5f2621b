// GEMM on CUDA cores, f32: a chain of fma, or rounded products added one after the other; several
// accumulators deal k round-robin, as unrolled loops do, and are added ascending at the end.
#include <stdexcept>

#include "gpu/kernels/dynamic_shared.cuh"
#include "gpu/kernels/finish.cuh"
#include "gpu/kernels/launch_plan.hpp"

namespace whybits::gpu {
namespace {

constexpr std::uint32_t outputs_of_a_thread = 4;

template <bool Fma>
__device__ float step(float total, float a, float b) {
  return Fma ? __fmaf_rn(a, b, total) : __fadd_rn(total, __fmul_rn(a, b));
}

/// Rows × block_k values of a k tile; zero beyond the matrix and the slice.
__device__ void load_tile(float* tile, const float* matrix, std::uint32_t ld, std::uint32_t row,
                          std::uint32_t rows, std::uint32_t limit, std::uint32_t k,
                          std::uint32_t k_end, std::uint32_t block_k) {
  for (std::uint32_t i = threadIdx.x; i < rows * block_k; i += blockDim.x) {
    const std::uint32_t r = row + i / block_k, kk = k + i % block_k;
    tile[i] = r < limit && kk < k_end ? matrix[static_cast<std::size_t>(r) * ld + kk] : 0.0f;
  }
}

template <bool Fma, std::uint32_t Lanes>
__global__ __launch_bounds__(1024) void simt_gemm(const GemmArgs g) {
  extern __shared__ float tile_a[];
  float* tile_b = tile_a + g.block_m * g.block_k;
  const std::uint32_t outputs = g.block_m * g.block_n;
  SegmentWalk walk(g);
  for (Segment s; walk.next(g, s);) {
    float total[outputs_of_a_thread][Lanes] = {};
    for (std::uint32_t k = s.k_begin; k < s.k_end; k += g.block_k) {
      __syncthreads();
      load_tile(tile_a, static_cast<const float*>(g.a), g.lda, s.row, g.block_m, g.m, k, s.k_end,
                g.block_k);
      load_tile(tile_b, static_cast<const float*>(g.b), g.ldb, s.column, g.block_n, g.n, k, s.k_end,
                g.block_k);
      __syncthreads();
      const std::uint32_t length = min(g.block_k, s.k_end - k);
      std::uint32_t steps = 0;
#pragma unroll
      for (std::uint32_t o = 0; o < outputs_of_a_thread; ++o) {
        const std::uint32_t output = threadIdx.x + o * blockDim.x;
        if (output >= outputs) continue;
        const float* a = tile_a + output / g.block_n * g.block_k;
        const float* b = tile_b + output % g.block_n * g.block_k;
        for (std::uint32_t kk = 0; kk < length; kk += Lanes)
#pragma unroll
          for (std::uint32_t lane = 0; lane < Lanes; ++lane)
            if (kk + lane < length) {
              total[o][lane] = step<Fma>(total[o][lane], a[kk + lane], b[kk + lane]);
              ++steps;
            }
      }
      if (threadIdx.x % 32 == 0) log_k_tile(g, s, k, 0, threadIdx.x / 32, steps);
    }
    const std::uint32_t used = min(Lanes, s.k_end - s.k_begin);
    const auto visit = [&](auto&& use) {
#pragma unroll
      for (std::uint32_t o = 0; o < outputs_of_a_thread; ++o) {
        const std::uint32_t output = threadIdx.x + o * blockDim.x;
        const std::uint32_t row = s.row + output / g.block_n,
                            column = s.column + output % g.block_n;
        if (output >= outputs || row >= g.m || column >= g.n) continue;
        float sum = total[o][0];
#pragma unroll
        for (std::uint32_t lane = 1; lane < Lanes; ++lane)
          if (lane < used) sum = __fadd_rn(sum, total[o][lane]);
        use(static_cast<std::size_t>(row) * g.n + column, sum);
      }
    };
    finish(g, s, visit, [] { __syncthreads(); }, threadIdx.x == 0);
  }
}

template <bool Fma>
void launch_lanes(const LaunchPlan& plan) {
  const GemmArgs& g = plan.args;
  const std::size_t shared = (g.block_m + g.block_n) * g.block_k * sizeof(float);
  const auto start = [&](auto kernel) {
    launch("simt.gemm", kernel, {plan.grid, 32 * plan.warps, shared, plan.stream}, g);
  };
  switch (plan.accumulators) {
    case 1:
      return start(simt_gemm<Fma, 1>);
    case 2:
      return start(simt_gemm<Fma, 2>);
    case 4:
      return start(simt_gemm<Fma, 4>);
    case 8:
      return start(simt_gemm<Fma, 8>);
    default:
      throw std::logic_error("simt.gemm: accumulators");
  }
}

}  // namespace

void launch_simt_gemm(const LaunchPlan& plan) {
  plan.instruction == "f32.fma" ? launch_lanes<true>(plan) : launch_lanes<false>(plan);
}

}  // namespace whybits::gpu
