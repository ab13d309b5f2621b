#include "gpu/kernels/wgmma_gemm.cuh"
#include "gpu/kernels/wgmma_rows.hpp"

namespace whybits::gpu {

bool launch_wgmma_fp8(const LaunchPlan& plan) {
  const bool promotes = plan.args.promotion != 0;
  if (plan.instruction == "e4m3")
    return promotes ? start_wgmma(wgmma_promoting_rows<WgmmaE4m3>, plan)
                    : start_wgmma(wgmma_rows<WgmmaE4m3>, plan);
  if (plan.instruction == "e5m2")
    return promotes ? start_wgmma(wgmma_promoting_rows<WgmmaE5m2>, plan)
                    : start_wgmma(wgmma_rows<WgmmaE5m2>, plan);
  if (plan.instruction == "e4m3xe5m2") return start_wgmma(wgmma_mixed_rows<WgmmaE4m3E5m2>, plan);
  if (plan.instruction == "e5m2xe4m3") return start_wgmma(wgmma_mixed_rows<WgmmaE5m2E4m3>, plan);
  return false;
}

}  // namespace whybits::gpu
