// What the kernels of recipe_kernels.hpp can be launched with, and which recipe each claims.
#pragma once

#include "gpu/recipe_kernels.hpp"

namespace whybits::gpu {

/// Knobs, extents and type that rows have in common. Errors: ConfigurationError.
void check_recipe_run(const RecipeKernel& kernel, const RecipeRun& run);
/// A number from `least` to `most`, or a ConfigurationError.
void check_range(std::string_view name, std::uint64_t value, std::uint64_t least,
                 std::uint64_t most);
/// Inputs of a recipe that are whole tensors of the run.
std::vector<RecipeInput> whole_inputs(const std::vector<KernelTensor>& tensors);
/// Sizes that the checks have held to 32 bits.
inline std::uint32_t size_of(const RecipeRun& run, std::string_view extent) {
  return static_cast<std::uint32_t>(run.extent(extent));
}
/// Threads of `warps` warps.
inline std::uint32_t threads_of(const RecipeRun& run) {
  return static_cast<std::uint32_t>(32 * run.params.warps);
}
/// Appends neighbours whose recipe is another one than the claim's.
void add_neighbour(std::vector<RecipeClaim>& list, const RecipeClaim& claim, std::string name,
                   RecipeClaim neighbour);
/// A recipe whose step of that name is another one, and steps before it.
Recipe with_step(Recipe recipe, std::string_view name, std::vector<RecipeStep> instead);

// Rows of RMSNorm and of softmax share a block's reduction: gpu/norm_claims.cpp.
void check_row_kernel(const RecipeKernel& kernel, const RecipeRun& run);
LaunchedBlocks row_blocks(const RecipeRun& run);
std::vector<KernelTensor> norm_inputs(const RecipeRun& run);
std::vector<KernelTensor> norm_outputs(const RecipeRun& run);
RecipeClaim claim_norm(const RecipeRun& run);
std::vector<RecipeClaim> norm_neighbours(const RecipeRun& run);
std::vector<KernelTensor> add_norm_inputs(const RecipeRun& run);
std::vector<KernelTensor> add_norm_outputs(const RecipeRun& run);
RecipeClaim claim_add_norm(const RecipeRun& run);
std::vector<RecipeClaim> add_norm_neighbours(const RecipeRun& run);
std::vector<KernelTensor> softmax_tensors_in(const RecipeRun& run);
RecipeClaim claim_softmax(const RecipeRun& run);
std::vector<RecipeClaim> softmax_neighbours(const RecipeRun& run);

// gpu/attention_claims.cpp
void check_attention(const RecipeKernel& kernel, const RecipeRun& run);
LaunchedBlocks attention_blocks(const RecipeRun& run);
std::vector<KernelTensor> attention_inputs(const RecipeRun& run);
std::vector<KernelTensor> attention_outputs(const RecipeRun& run);
RecipeClaim claim_attention(const RecipeRun& run);
std::vector<RecipeClaim> attention_neighbours(const RecipeRun& run);

// gpu/moe_claims.cpp
void check_moe_combine(const RecipeKernel& kernel, const RecipeRun& run);
LaunchedBlocks moe_blocks(const RecipeRun& run);
std::vector<KernelTensor> moe_inputs(const RecipeRun& run);
std::vector<KernelTensor> moe_outputs(const RecipeRun& run);
RecipeClaim claim_moe_combine(const RecipeRun& run);
std::vector<RecipeClaim> moe_neighbours(const RecipeRun& run);

}  // namespace whybits::gpu
