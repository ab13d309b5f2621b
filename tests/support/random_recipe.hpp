// Random recipes with inputs for them: maps, reduces of every kind and scans, whatever fits the
// tensors that are there.
#pragma once

#include "sim/run_recipe.hpp"
#include "tests/support/property.hpp"

namespace whybits::test {

struct RandomRecipe {
  Recipe recipe;
  InputTensors inputs;
};

RandomRecipe random_recipe(Random& random);

/// Any of the operations of a format alone: add, sub, mul, div, fma, sqrt, max, negate.
MapOperation random_arithmetic(Random& random, const Format& format, const RoundRule& rule);

/// Some rows and columns of some tensors, sometimes none of them, sometimes all of all.
Selection random_selection(Random& random, const BoundRecipe& recipe);

}  // namespace whybits::test
