// What a run of a recipe in lanes holds, known before it allocates anything.
#pragma once

#include "sim/fast/recipe_plan.hpp"
#include "sim/recipe_demand.hpp"

namespace whybits::fast {

/// Needed parts of the inputs, in storage words.
std::uint64_t input_bytes(const BoundRecipe& recipe, const Demand& demand);
/// Needed parts of all other tensors, and the most that a step takes beside them.
std::uint64_t working_bytes(const BoundRecipe& recipe, const RecipePlan& plan, const Demand& demand,
                            unsigned threads);

/// A sum that stays at 2^64 − 1.
std::uint64_t plus(std::uint64_t a, std::uint64_t b);

}  // namespace whybits::fast
