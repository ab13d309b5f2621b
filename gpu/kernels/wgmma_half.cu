#include "gpu/kernels/wgmma_gemm.cuh"
#include "gpu/kernels/wgmma_rows.hpp"

namespace whybits::gpu {

bool launch_wgmma_half(const LaunchPlan& plan) {
  if (plan.instruction == "f16") return start_wgmma(wgmma_rows<WgmmaF16>, plan);
  if (plan.instruction == "bf16") return start_wgmma(wgmma_rows<WgmmaBf16>, plan);
  if (plan.instruction == "tf32") return start_wgmma(wgmma_rows<WgmmaTf32>, plan);
  return false;
}

}  // namespace whybits::gpu
