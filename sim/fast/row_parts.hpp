// A run of a recipe cut into rows of its chosen outputs, one part a thread: a scan is many short
// steps, too short to be shared one by one.
#pragma once

#include "sim/fast/lane_tensor.hpp"
#include "sim/fast/recipe_plan.hpp"
#include "sim/run_recipe.hpp"

namespace whybits::fast {

/// Chosen rows and columns by tensor.
using Grids = std::map<std::string, Need, std::less<>>;
using LaneTensors = std::map<std::string, LaneTensor, std::less<>>;

Grids chosen_grids(const BoundRecipe& recipe, const Selection& chosen);

struct RowPart {
  Grids grids;
  Demand demand;
};

/// One part, or `threads` of them: where a scan is needed, rows ask for little of what other rows
/// ask for, and the parts are of a size.
std::vector<RowPart> row_parts(const BoundRecipe& recipe, const RecipePlan& plan,
                               const Grids& grids, const Demand& needed, unsigned threads);

/// What a run for a demand does.
Work work_of(const BoundRecipe& recipe, const RecipePlan& plan, const Demand& demand);

}  // namespace whybits::fast
