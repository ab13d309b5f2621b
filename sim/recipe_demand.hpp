// Which parts of which tensors are needed for chosen outputs: nobody computes 1024 rows to look at
// one. A tensor is needed on a grid, rows × columns; where two uses need different grids, on the
// rows of either and the columns of either.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/bound_recipe.hpp"

namespace whybits {

/// A tensor of the recipe, whole or in part. Any tensor may be chosen, not only its outputs.
struct Chosen {
  std::string tensor;
  std::optional<IndexSet> rows = {};  ///< none: all
  std::optional<IndexSet> columns = {};
};
using Selection = std::vector<Chosen>;

/// All outputs of the recipe, whole; one element.
Selection all_outputs(const Recipe& recipe);
Chosen chosen_element(std::string tensor, std::uint64_t row, std::uint64_t column);

struct Need {
  IndexSet rows;
  IndexSet columns;

  bool empty() const { return rows.empty() || columns.empty(); }
  std::uint64_t size() const { return rows.size() * columns.size(); }
};

struct Demand {
  std::map<std::string, Need, std::less<>> tensors;  ///< only what is needed
  /// One a step: of a scan that is needed, the demands of its body for a whole block and for the
  /// ragged one (in this order, where they exist); empty otherwise.
  std::vector<std::vector<Demand>> bodies;

  /// Null if the tensor is not needed.
  const Need* find(std::string_view tensor) const;
};

/// Errors: RecipeError for a tensor that does not exist and an index beyond its end.
Demand demand(const BoundRecipe& recipe, const Selection& chosen);

/// What an evaluator that keeps every needed element must hold, in bytes.
std::uint64_t working_bytes(const BoundRecipe& recipe, const Demand& demand);

}  // namespace whybits
