// The optimized evaluator of recipes: the same patches as run() of sim/run_recipe.hpp, in every
// bit. Tensors lie in storage words; each step runs on all needed elements at once, by the kernels
// of its plan, and nothing is evaluated that the chosen outputs do not need.
#pragma once

#include <functional>
#include <stop_token>

#include "sim/fast/row_parts.hpp"
#include "sim/run_recipe.hpp"

namespace whybits::fast {

struct RecipeOptions {
  std::uint64_t most_bytes = RunOptions{}.most_bytes;  ///< refused, before anything is computed
  Work* work = nullptr;                                ///< added to, if not null
  unsigned threads = 0;                                ///< 0: as many as the machine has
  std::stop_token stop = {};                           ///< when stopped, there are no patches
  /// Called now and then with the elements and reductions done so far, from any thread, one call at
  /// a time.
  std::function<void(std::uint64_t)> progress = {};
};

using TensorWords = std::map<std::string, CodeMatrix, std::less<>>;

/// The chosen parts, by tensor; none if stopped. Memory: needed parts of inputs and of tensors in
/// storage words, the patches, and what steps take for themselves; refused if that is too much.
/// Functions handed in are called from several
/// threads. Errors: as whybits::run(). What a function, a source or progress throws is thrown
/// again.
Patches run(const BoundRecipe& recipe, const RecipePlan& plan, const InputTensors& inputs,
            const Selection& chosen, const RecipeOptions& options = {});
Patches run(const BoundRecipe& recipe, const InputTensors& inputs, const Selection& chosen,
            const RecipeOptions& options = {});

/// The same in storage words, an eighth to a half of the memory: element (r, c) is that of the
/// r-th chosen row and the c-th chosen column. May borrow words of the inputs.
TensorWords run_words(const BoundRecipe& recipe, const RecipePlan& plan, const InputTensors& inputs,
                      const Selection& chosen, const RecipeOptions& options = {});

/// What runs for the same chosen outputs share. Borrows recipe and plan.
struct PreparedRun {
  const BoundRecipe& recipe;
  const RecipePlan& plan;
  Demand needed;
  Grids grids;  ///< the chosen outputs
  std::vector<RowPart> parts = {};
  unsigned threads = 1;
  std::uint64_t bytes = 0;  ///< that a run holds, without codes of patches
};

/// Errors: as whybits::run(), of what is chosen. `threads`: as in RecipeOptions, whose own does not
/// count for a prepared run.
PreparedRun prepare(const BoundRecipe& recipe, const RecipePlan& plan, const Selection& chosen,
                    unsigned threads = 0);
Patches run(const PreparedRun& run, const InputTensors& inputs, const RecipeOptions& options = {});
TensorWords run_words(const PreparedRun& run, const InputTensors& inputs,
                      const RecipeOptions& options = {});

}  // namespace whybits::fast
