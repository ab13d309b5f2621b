// The reference evaluator of recipes: one step after the other, each element and each reduction
// that the chosen outputs need, and nothing else. All arithmetic is that of map operations and
// evaluate().
#pragma once

#include "sim/recipe_demand.hpp"

namespace whybits {

using Patches = std::map<std::string, Patch, std::less<>>;

/// What was done; bodies of scans included.
struct Work {
  std::uint64_t elements = 0;    ///< results of map operations
  std::uint64_t reductions = 0;  ///< results of reduces
  std::uint64_t addends = 0;     ///< their leaves
  std::uint64_t blocks = 0;      ///< runs of scan bodies

  bool operator==(const Work&) const = default;
  Work& operator+=(const Work& other);
};

struct RunOptions {
  std::uint64_t most_bytes = std::uint64_t{8} << 30;  ///< refused, before anything is computed
  Work* work = nullptr;                               ///< added to, if not null
};

/// The chosen parts, by tensor. Equal bits whatever else is chosen.
/// Errors: RecipeError if inputs do not have the bound types, a source does not have rows·columns
/// codes, a chosen part does not exist, or too many bytes would be needed.
Patches run(const BoundRecipe& recipe, const InputTensors& inputs, const Selection& chosen,
            const RunOptions& options = {});

/// Binds and runs. Without a selection: all outputs, whole.
Patches run(const Recipe& recipe, const InputTensors& inputs, const Selection& chosen,
            const RunOptions& options = {});
Patches run(const Recipe& recipe, const InputTensors& inputs);

TensorTypes types_of(const InputTensors& inputs);

/// Errors of inputs and of memory, for every evaluator: see run().
void check_inputs(const BoundRecipe& recipe, const InputTensors& inputs);
void check_bytes(std::uint64_t needed, std::uint64_t allowed);

/// One reduction of a recipe with its leaves: what trace, divergence and ledger look into.
struct SingleReduction {
  Reduction reduction;
  OperandVector a;
  std::optional<OperandVector> b;
  std::optional<Conversion> product;
  std::optional<Scalar> c;
  std::vector<std::pair<std::string, Scalar>> operands;

  Leaves leaves() const;  ///< borrows from this
};

/// The reduction that gives element (row, column) of a tensor, with everything below it computed.
/// Errors: RecipeError if no reduce step by a topology defines the tensor (those inside a scan are
/// not reached), and as run().
SingleReduction single_reduction(const BoundRecipe& recipe, const InputTensors& inputs,
                                 const std::string& tensor, std::uint64_t row, std::uint64_t column,
                                 const RunOptions& options = {});

}  // namespace whybits
