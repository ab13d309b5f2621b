#include "gpu/recipe_claims.hpp"

#include <algorithm>

namespace whybits::gpu {

void check_range(std::string_view name, std::uint64_t value, std::uint64_t least,
                 std::uint64_t most) {
  if (value < least || value > most)
    throw ConfigurationError(
        std::string(name), value,
        "must be from " + std::to_string(least) + " to " + std::to_string(most));
}

void check_recipe_run(const RecipeKernel& kernel, const RecipeRun& run) {
  if (std::ranges::find(kernel.orders, run.params.instruction) == kernel.orders.end()) {
    std::string allowed;
    for (const std::string_view order : kernel.orders)
      allowed += (allowed.empty() ? "" : ", ") + std::string(order);
    throw ConfigurationError("instruction = '" + run.params.instruction +
                             "': " + std::string(kernel.name) + " has " + allowed);
  }
  if (run.type != formats::f32 && run.type != formats::f16 && run.type != formats::bf16)
    throw ConfigurationError("type = " + format_name(run.type) + ": f32, f16 or bf16");
  constexpr std::uint64_t most = 1 << 24;
  std::uint64_t elements = 1;
  for (const std::string_view name : kernel.extents) {
    const auto found = run.extents.find(name);
    if (found == run.extents.end())
      throw ConfigurationError(std::string(kernel.name) + " needs the size " + std::string(name));
    check_range(name, found->second, 1, most);
    elements *= found->second;
    if (elements > std::uint64_t{1} << 30)
      throw ConfigurationError(std::string(name), found->second,
                               "all sizes together at most 2^30 elements");
  }
}

std::vector<RecipeInput> whole_inputs(const std::vector<KernelTensor>& tensors) {
  std::vector<RecipeInput> inputs;
  for (const KernelTensor& t : tensors) inputs.push_back({t.name, t.name, 0, t.rows});
  return inputs;
}

void add_neighbour(std::vector<RecipeClaim>& list, const RecipeClaim& claim, std::string name,
                   RecipeClaim neighbour) {
  if (print(neighbour.recipe) == print(claim.recipe)) return;
  neighbour.name = std::move(name);
  list.push_back(std::move(neighbour));
}

Recipe with_step(Recipe recipe, std::string_view name, std::vector<RecipeStep> instead) {
  const auto step = std::ranges::find_if(
      recipe.steps, [&](const RecipeStep& s) { return s.names.front() == name; });
  const auto place = recipe.steps.erase(step);
  recipe.steps.insert(place, instead.begin(), instead.end());
  return recipe;
}

}  // namespace whybits::gpu
