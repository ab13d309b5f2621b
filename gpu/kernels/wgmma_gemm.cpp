#include <stdexcept>

#include "gpu/kernels/launch_plan.hpp"
#include "gpu/kernels/wgmma_rows.hpp"

namespace whybits::gpu {

void launch_wgmma_gemm(const LaunchPlan& plan) {
  if (!launch_wgmma_half(plan) && !launch_wgmma_fp8(plan))
    throw std::logic_error("wgmma.gemm: instruction " + plan.instruction + ", block_n " +
                           std::to_string(plan.args.block_n));
}

}  // namespace whybits::gpu
