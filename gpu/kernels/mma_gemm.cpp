#include <stdexcept>

#include "gpu/kernels/launch_plan.hpp"
#include "gpu/kernels/mma_rows.hpp"

namespace whybits::gpu {

void launch_mma_gemm(const LaunchPlan& plan) {
  for (const auto rows : {mma_half_rows(), mma_fp8_rows(), mma_f64_rows()})
    for (const MmaRow& row : rows)
      if (plan.instruction == row.instruction) return row.launch(plan);
  throw std::logic_error("mma.gemm: instruction " + plan.instruction);
}

}  // namespace whybits::gpu
