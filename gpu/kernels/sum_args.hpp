// Sums of rows: what the kernels are handed. Host and device.
#pragma once

#include <cstdint>
#include <string>

namespace whybits::gpu {

/// out[row] = sum of x[row][0 … k), f32.
struct SumArgs {
  const float* x = nullptr;
  std::uint32_t rows = 0, k = 0;
  std::uint32_t vector = 1;   ///< consecutive addends of a thread
  std::uint32_t block_k = 0;  ///< of Triton: addends that a block of threads takes at once
  float* out = nullptr;
};

struct SumPlan {
  std::string instruction;
  SumArgs args;
  std::uint32_t warps = 4;
};

/// One block of threads a row. Errors: CudaError; std::logic_error for an unknown instruction.
void launch_block_sum(const SumPlan& plan);
/// One thread a row adds it to a cell by atomics, in index order.
void launch_atomic_sum(const SumPlan& plan);

}  // namespace whybits::gpu
