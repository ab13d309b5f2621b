#include "gpu/recipe_kernels.hpp"

#include <algorithm>

#include "gpu/recipe_claims.hpp"

namespace whybits::gpu {
namespace {

LaunchParams usual_recipe_launch(std::string instruction) {
  LaunchParams params;
  params.instruction = std::move(instruction);
  params.threads = 256;
  params.vector = 8;
  params.block_k = 64;
  return params;
}

std::vector<RecipeKernel> make_recipe_kernels() {
  const std::vector<std::string_view> row_knobs{"instruction", "threads", "vector"};
  const std::vector<std::string_view> matrix{"rows", "columns"};
  return {{"rms.norm",
           "RMSNorm of rows, one block of threads each",
           "rms_norm",
           {"up", "down"},
           row_knobs,
           matrix,
           "eps",
           1e-6,
           check_row_kernel,
           norm_inputs,
           norm_outputs,
           claim_norm,
           row_blocks,
           norm_neighbours,
           usual_recipe_launch("up")},
          {"add.rms.norm",
           "RMSNorm of x + residual, which is stored as the next residual",
           "add_rms_norm",
           {"up", "down"},
           row_knobs,
           matrix,
           "eps",
           1e-6,
           check_row_kernel,
           add_norm_inputs,
           add_norm_outputs,
           claim_add_norm,
           row_blocks,
           add_norm_neighbours,
           usual_recipe_launch("up")},
          {"row.softmax",
           "softmax of rows, one block of threads each",
           "softmax",
           {"up", "down"},
           row_knobs,
           matrix,
           "",
           0,
           check_row_kernel,
           softmax_tensors_in,
           norm_outputs,
           claim_softmax,
           row_blocks,
           softmax_neighbours,
           usual_recipe_launch("down")},
          {"split.attention",
           "attention of a few queries, keys cut into splits, and their combine",
           "attention",
           {"fma", "causal"},
           {"instruction", "warps", "vector", "block_k", "splits"},
           {"heads", "kv_heads", "queries", "keys", "head_size"},
           "scale",
           0.125,
           check_attention,
           attention_inputs,
           attention_outputs,
           claim_attention,
           attention_blocks,
           attention_neighbours,
           usual_recipe_launch("fma")},
          {"moe.combine",
           "weighted sum of a token's experts, rounded once or after every step",
           "moe_combine",
           {"once", "chain"},
           {"instruction", "warps"},
           {"tokens", "experts", "columns"},
           "",
           0,
           check_moe_combine,
           moe_inputs,
           moe_outputs,
           claim_moe_combine,
           moe_blocks,
           moe_neighbours,
           usual_recipe_launch("once")}};
}

}  // namespace

bool RecipeKernel::has_knob(std::string_view knob) const {
  return std::ranges::find(knobs, knob) != knobs.end();
}

std::span<const RecipeKernel> recipe_kernels() {
  static const std::vector<RecipeKernel> table = make_recipe_kernels();
  return table;
}

const RecipeKernel* find_recipe_kernel(std::string_view name) {
  const auto table = recipe_kernels();
  const auto found = std::ranges::find(table, name, &RecipeKernel::name);
  return found == table.end() ? nullptr : &*found;
}

std::uint64_t run_groups(const RecipeKernel& kernel, const RecipeRun& run) {
  return kernel.outputs(run).front().groups;
}

}  // namespace whybits::gpu
