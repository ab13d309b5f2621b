// A launch of a kernel of recipe_kernels.hpp. Host side.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "gpu/recipe_kernels.hpp"

namespace whybits::gpu {

/// Addresses on the device by the names of RecipeKernel::inputs and outputs.
using DeviceTensors = std::map<std::string, void*, std::less<>>;

/// Sizes that the checks have held to 32 bits.
inline std::uint32_t size_of(const RecipeRun& run, std::string_view extent) {
  return static_cast<std::uint32_t>(run.extent(extent));
}

/// What a kernel needs beside operands and outputs. 0 for most.
std::uint64_t attention_workspace_bytes(const RecipeRun& run);

/// Each starts its kernels on the default stream and does not wait. `workspace` as above.
/// Errors: CudaError.
void launch_rms_norm(const RecipeRun& run, const DeviceTensors& tensors, void* workspace);
void launch_add_rms_norm(const RecipeRun& run, const DeviceTensors& tensors, void* workspace);
void launch_row_softmax(const RecipeRun& run, const DeviceTensors& tensors, void* workspace);
void launch_split_attention(const RecipeRun& run, const DeviceTensors& tensors, void* workspace);
void launch_moe_combine(const RecipeRun& run, const DeviceTensors& tensors, void* workspace);

}  // namespace whybits::gpu
