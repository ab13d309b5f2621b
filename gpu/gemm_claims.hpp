// What the GEMM kernels can be launched with, and which topology each claims. See kernel_table.hpp.
#pragma once

#include "gpu/kernel_table.hpp"

namespace whybits::gpu {

void check_simt_gemm(const Kernel& kernel, const LaunchParams& params, const Shape& shape);
void check_mma_gemm(const Kernel& kernel, const LaunchParams& params, const Shape& shape);
void check_wgmma_gemm(const Kernel& kernel, const LaunchParams& params, const Shape& shape);
void check_fixed_gemm(const Kernel& kernel, const LaunchParams& params, const Shape& shape);

Claim claim_simt_gemm(const Kernel& kernel, const LaunchParams& params, const Shape& shape,
                      std::string_view architecture);
Claim claim_mma_gemm(const Kernel& kernel, const LaunchParams& params, const Shape& shape,
                     std::string_view architecture);
Claim claim_wgmma_gemm(const Kernel& kernel, const LaunchParams& params, const Shape& shape,
                       std::string_view architecture);
Claim claim_fixed_gemm(const Kernel& kernel, const LaunchParams& params, const Shape& shape,
                       std::string_view architecture);

}  // namespace whybits::gpu
