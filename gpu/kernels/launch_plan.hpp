// A GEMM launch as the families of kernels take it. Host side.
#pragma once

#include <cstddef>
#include <string>

#include "gpu/kernels/gemm_args.hpp"
#include "gpu/launch_params.hpp"

struct CUstream_st;  // what a cudaStream_t points to

namespace whybits::gpu {

/// Sizes that the kernel table has held to 32 bits.
inline std::uint32_t u32(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}

/// Tiles, split and output of `args` as the parameters name them; extents, operands and slices are
/// the caller's. Precondition: the kernel table took the parameters.
void take_params(GemmArgs& args, const LaunchParams& params);

struct LaunchPlan {
  std::string instruction;
  GemmArgs args;
  std::uint32_t grid = 1;
  std::uint32_t warps = 4;
  std::uint32_t accumulators = 1;
  CUstream_st* stream = nullptr;  ///< null: the default stream
};

/// Each starts one kernel on the plan's stream and does not wait for it. Errors: CudaError;
/// std::logic_error for an instruction or a size that the family was not compiled for (the kernel
/// table refuses those first).
void launch_simt_gemm(const LaunchPlan& plan);
void launch_mma_gemm(const LaunchPlan& plan);
void launch_wgmma_gemm(const LaunchPlan& plan);
void launch_fixed_gemm(const LaunchPlan& plan);

/// What a launch of fixed.gemm needs beside operands and output.
struct FixedNeeds {
  std::uint32_t grid = 0;
  std::uint64_t workspace_bytes = 0;
  std::uint32_t tickets = 0;  ///< zeros; the kernel leaves zeros
};
/// With at most `blocks` blocks. Reads the extents, tiles, slice, cluster and split of `args`.
FixedNeeds fixed_needs(const GemmArgs& args, std::uint32_t blocks);

/// out[i] = partial 0 + partial 1 + … in that order, then rounded: the second kernel of a workspace
/// split. `held` is the partials' format.
void launch_add_slices(const GemmArgs& args, OutputType held, std::uint32_t slices);

}  // namespace whybits::gpu
