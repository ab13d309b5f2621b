// The compiled kernels of wgmma.gemm, by instruction.
#pragma once

#include <cstdint>
#include <string>

namespace whybits::gpu {

struct LaunchPlan;

/// Each starts the kernel that fits the plan, or returns false: not one of its own.
bool launch_wgmma_half(const LaunchPlan& plan);  ///< f16, bf16, tf32
bool launch_wgmma_fp8(const LaunchPlan& plan);   ///< e4m3, e5m2 and mixed

}  // namespace whybits::gpu
