// A recipe checked for the shapes and formats of its inputs, with its topologies expanded. This is
// what evaluators run: every tensor's type is known, nothing can fail any more but memory.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "sim/recipe.hpp"
#include "sim/reduction.hpp"
#include "sim/tensor.hpp"

namespace whybits {

struct BoundRecipe;

struct BoundStep {
  std::uint64_t length = 0;  ///< addends of a reduce, length of the axis that a scan cuts
  /// A reduce by a topology has one, by a map one a region, by an operation none.
  std::vector<Reduction> reductions;
  /// A scan: its body for whole blocks and for the ragged last one; null where there is none.
  std::shared_ptr<const BoundRecipe> body;
  std::shared_ptr<const BoundRecipe> ragged_body;
};

struct BoundRecipe {
  Recipe recipe;
  TensorTypes types;             ///< of inputs and of everything the steps define
  std::vector<BoundStep> steps;  ///< as recipe.steps

  /// Precondition: the recipe defines it.
  const TensorType& type(std::string_view tensor) const { return types.find(tensor)->second; }
};

/// Errors: RecipeError naming the step, with what its topology has to say.
BoundRecipe bind_recipe(const Recipe& recipe, const TensorTypes& inputs);

}  // namespace whybits
