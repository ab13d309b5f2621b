// What the row-sum kernels can be launched with, and which topology each claims.
#pragma once

#include "gpu/kernel_table.hpp"

namespace whybits::gpu {

void check_block_sum(const Kernel& kernel, const LaunchParams& params, const Shape& shape);
void check_atomic_sum(const Kernel& kernel, const LaunchParams& params, const Shape& shape);

Claim claim_block_sum(const Kernel& kernel, const LaunchParams& params, const Shape& shape,
                      std::string_view architecture);
Claim claim_atomic_sum(const Kernel& kernel, const LaunchParams& params, const Shape& shape,
                       std::string_view architecture);

}  // namespace whybits::gpu
