// One value of each thread of a block becomes one: shuffles in a warp, then the warps' totals.
//
// up    slices(32, pairs(f32), fold(f32))    neighbours first, totals by one thread (CUB)
// down  slices(32, halves(f32), halves(f32)) far first, totals by a warp again (Triton, PyTorch)
//
// A lane whose partner is missing keeps its value; it does not add a zero.
#pragma once

#include <cstdint>

namespace whybits::gpu {

inline constexpr std::uint32_t every_lane = 0xffffffff;

/// Lane 0 has the sum of the first `lanes` lanes; distance 1, 2, 4, 8, 16.
__device__ inline float warp_up(float x, std::uint32_t lanes) {
  for (std::uint32_t d = 1; d < 32; d *= 2) {
    const float other = __shfl_down_sync(every_lane, x, d);
    if (threadIdx.x % 32 + d < lanes) x = __fadd_rn(x, other);
  }
  return x;
}
/// The same; distance 16, 8, 4, 2, 1.
__device__ inline float warp_down(float x, std::uint32_t lanes) {
  for (std::uint32_t d = 16; d > 0; d /= 2) {
    const float other = __shfl_down_sync(every_lane, x, d);
    if (threadIdx.x % 32 + d < lanes) x = __fadd_rn(x, other);
  }
  return x;
}
/// Every lane has the largest; a NaN loses. A maximum has no order.
__device__ inline float warp_max(float x) {
  for (int d = 16; d > 0; d /= 2) x = fmaxf(x, __shfl_xor_sync(every_lane, x, d));
  return x;
}

/// One total of each warp, in shared memory.
__device__ inline const float* share_totals(float warp_total) {
  static __shared__ float totals[32];
  __syncthreads();  // the previous ones have been read
  if (threadIdx.x % 32 == 0) totals[threadIdx.x / 32] = warp_total;
  __syncthreads();
  return totals;
}
/// Totals folded, ascending; every thread has the sum.
__device__ inline float fold_totals(float warp_total) {
  const float* totals = share_totals(warp_total);
  float sum = totals[0];
  for (std::uint32_t w = 1; w < blockDim.x / 32; ++w) sum = __fadd_rn(sum, totals[w]);
  return sum;
}
/// Totals by a warp again, far first. Right in lane 0 of every warp.
__device__ inline float halve_totals(float warp_total) {
  const float* totals = share_totals(warp_total);
  const std::uint32_t warps = blockDim.x / 32, lane = threadIdx.x % 32;
  return warp_down(lane < warps ? totals[lane] : 0.0f, warps);
}

enum class LaneOrder : std::uint8_t { up, down };

/// The sum of x over the block's first `threads` threads, in every thread. The block has the whole
/// warps that hold them.
template <LaneOrder Order>
__device__ float block_sum(float x, std::uint32_t threads) {
  const std::uint32_t lanes = min(32u, threads - threadIdx.x / 32 * 32);
  if constexpr (Order == LaneOrder::up) return fold_totals(warp_up(x, lanes));
  return __shfl_sync(every_lane, halve_totals(warp_down(x, lanes)), 0);
}

/// The largest x of all threads, in every thread.
__device__ inline float block_max(float x) {
  const float* totals = share_totals(warp_max(x));
  float most = totals[0];
  for (std::uint32_t w = 1; w < blockDim.x / 32; ++w) most = fmaxf(most, totals[w]);
  return most;
}

}  // namespace whybits::gpu
