// How the optimized evaluator runs a recipe: a kernel for every step, chosen before any data.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "sim/bound_recipe.hpp"
#include "sim/fast/region_plan.hpp"

namespace whybits::fast {

struct RecipePlan {
  struct Constant {};
  struct Map {
    ElementStep step;
    /// The step that alone takes the result: both are one pass, unless the result is chosen.
    std::optional<std::size_t> joined_to = {};
  };
  struct Fold {  ///< a reduce by an operation, lanes over its outputs
    ElementStep step;
  };
  /// A reduce by a topology. Sums along an axis have one row of outputs, which lanes run over.
  struct Reduce {
    enum class Leaves : std::uint8_t {
      matrix,    ///< rows of a meet columns of b
      values,    ///< a alone, or rounded products, which `product` makes first
      shared_a,  ///< one a for all outputs of an axis
      shared_b,  ///< one b for them
      paired     ///< every output has its own a and b
    };
    Leaves leaves = Leaves::matrix;
    std::optional<ElementStep> product;
    RegionPlan plan;
  };
  struct Scan {  ///< as BoundStep has its bodies
    std::shared_ptr<const RecipePlan> body, ragged_body;
  };
  using Step = std::variant<Constant, Map, Fold, Reduce, Scan>;

  std::vector<Step> steps;  ///< as the recipe's
  /// Tensors are numbered, so that blocks of a scan need not look for names.
  std::map<std::string, std::size_t, std::less<>> numbers;
  std::vector<std::vector<std::size_t>> defined;   ///< what each step defines
  std::vector<std::vector<std::size_t>> operands;  ///< of each map
};

/// O(steps + shapes of their trees).
RecipePlan compile(const BoundRecipe& recipe);

/// A line a step with its kernel, the plans of reduces below them, bodies indented. For people.
std::string print(const BoundRecipe& recipe, const RecipePlan& plan);

}  // namespace whybits::fast
