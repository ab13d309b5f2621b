// A launch of a kernel of recipe_kernels.hpp. Host side.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "gpu/recipe_claims.hpp"

namespace whybits::gpu {

struct RecipeLaunch {
  RecipeRun run;
  /// Addresses on the device by the names of RecipeKernel::inputs and outputs.
  std::map<std::string, void*, std::less<>> tensors;
  void* workspace = nullptr;
  LaunchedBlocks* log = nullptr;  ///< on the device

  template <class T>
  T* tensor(std::string_view name) const {
    return static_cast<T*>(tensors.find(name)->second);
  }
};

/// What a kernel needs beside operands and outputs, in bytes.
std::uint64_t attention_workspace(const RecipeRun& run);

/// Each starts its kernels on the default stream and does not wait. Errors: CudaError.
void launch_rms_norm(const RecipeLaunch& launch);
void launch_add_rms_norm(const RecipeLaunch& launch);
void launch_row_softmax(const RecipeLaunch& launch);
void launch_split_attention(const RecipeLaunch& launch);
void launch_moe_combine(const RecipeLaunch& launch);

}  // namespace whybits::gpu
