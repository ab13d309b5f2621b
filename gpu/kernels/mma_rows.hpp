// The instructions of mma.gemm, a list for each group of targets they are compiled for.
#pragma once

#include <span>

#include "gpu/kernels/launch_plan.hpp"

namespace whybits::gpu {

/// One instruction by its name in LaunchParams.
struct MmaRow {
  const char* instruction;
  void (*launch)(const LaunchPlan&);
};

std::span<const MmaRow> mma_half_rows();  ///< f16, bf16, tf32: compute capability 8.0 and later
std::span<const MmaRow> mma_fp8_rows();   ///< 8.9 and later
std::span<const MmaRow> mma_f64_rows();   ///< 9.0 and later

}  // namespace whybits::gpu
