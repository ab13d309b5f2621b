// The outputs of a token's experts, weighted and added: sim/libraries/moe has the sums.
#include "gpu/recipe_claims.hpp"
#include "sim/libraries/moe/combine.hpp"

namespace whybits::gpu {
namespace {

using formats::f32;

SchemaPtr experts_sum(const RecipeRun& run, bool chain) {
  return moe_combine_sum(*find_moe_combine(chain ? "chain" : "vllm"), run.extent("experts"),
                         run.type);
}

/// Terms w·x rounded to f32, of a chain to the type too; then their sum over the experts.
RecipeClaim combine(const RecipeRun& run, bool chain, bool backwards) {
  using namespace operations;
  Recipe recipe{{"x", "w"}, {}, {"y"}};
  recipe.steps.push_back({{"weighted"}, Map{mul(f32), {"w", "x"}}});
  const bool narrowed = chain && run.type != f32;
  if (narrowed)
    recipe.steps.push_back({{"terms"}, Map{convert(f32, {run.type, {}}), {"weighted"}}});
  const SchemaPtr sum = experts_sum(run, chain);
  recipe.steps.push_back({{"y"},
                          Reduce{.by = backwards ? schema(Reverse{sum}) : sum,
                                 .along = Along::rows,
                                 .a = narrowed ? "terms" : "weighted"}});
  return {{}, std::move(recipe), whole_inputs(moe_inputs(run))};
}

bool is_chain(const RecipeRun& run) {
  return run.params.instruction == "chain";
}

}  // namespace

void check_moe_combine(const RecipeKernel& kernel, const RecipeRun& run) {
  check_recipe_run(kernel, run);
  check_range("warps", run.params.warps, 1, 32);
}

LaunchedBlocks moe_blocks(const RecipeRun& run) {
  return {size_of(run, "tokens"), threads_of(run)};
}
std::vector<KernelTensor> moe_inputs(const RecipeRun& run) {
  const std::uint64_t tokens = run.extent("tokens"), k = run.extent("experts");
  return {{"x", tokens, k, run.extent("columns"), run.type}, {"w", tokens, k, 1, f32}};
}
std::vector<KernelTensor> moe_outputs(const RecipeRun& run) {
  return {{"y", run.extent("tokens"), 1, run.extent("columns"), run.type}};
}

RecipeClaim claim_moe_combine(const RecipeRun& run) {
  return combine(run, is_chain(run), false);
}

std::vector<RecipeClaim> moe_neighbours(const RecipeRun& run) {
  const RecipeClaim right = claim_moe_combine(run);
  std::vector<RecipeClaim> list;
  add_neighbour(list, right, is_chain(run) ? "rounded once" : "rounded after every expert",
                combine(run, !is_chain(run), false));
  add_neighbour(list, right, "experts from the last", combine(run, is_chain(run), true));
  RecipeClaim fused = right;
  SchemaPtr chain = schema(Fold{ieee_fma(f32), Start::zero});
  if (run.type != f32) chain = schema(RoundTo{chain, Conversion{run.type, {}}});
  fused.recipe.steps = {{{"y"}, Reduce{.by = chain, .along = Along::rows, .a = "x", .b = "w"}}};
  add_neighbour(list, right, "products not rounded", std::move(fused));
  return list;
}

}  // namespace whybits::gpu
