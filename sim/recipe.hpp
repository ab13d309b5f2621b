// A computation as a value: straight-line steps over named tensors.
//
//   map     a named elementwise operation with its rounding, or a function handed in
//   reduce  a topology along an axis (sums, dot and matrix products), or a fold by an operation
//   scan    state carried over blocks of an axis (online softmax); the body is a recipe again
//
// A recipe is a function of its inputs' shapes, as a schema is a function of n: bind_recipe()
// checks it for given shapes and expands its topologies, run() evaluates chosen outputs. Tensors
// are matrices; a dimension of 1 broadcasts. docs/recipes.md has examples.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "sim/leaves.hpp"
#include "sim/map_operation.hpp"
#include "sim/schema.hpp"

namespace whybits {

/// The recipe is not well formed, or does not fit its inputs; names the step.
struct RecipeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A run that would take more memory than is allowed; thrown before it is allocated.
struct RecipeMemoryError : RecipeError {
  using RecipeError::RecipeError;
};

/// A 1×1 tensor.
struct Constant {
  Scalar value;
};

struct Map {
  MapOperation operation;
  std::vector<std::string> operands;
};

/// What one output of a reduce adds, over i.
enum class Along : std::uint8_t {
  columns,           ///< output (r, 0): a[r][i], or a[r][i]·b[r][i]
  rows,              ///< output (0, c): a[i][c], or a[i][c]·b[i][c]
  matrix,            ///< output (r, c): a[r][i]·b[i][c]
  matrix_transposed  ///< output (r, c): a[r][i]·b[c][i]
};

/// One topology for all outputs; one for each region of the row-major outputs; or a left fold by an
/// operation of two operands, for what is no sum: the maximum.
using ReduceBy = std::variant<SchemaPtr, TopologyMap, MapOperation>;

struct Reduce {
  struct Operand {  ///< `+ name` of the topology, as a tensor that broadcasts to the outputs
    std::string name;
    std::string tensor;
  };

  ReduceBy by;
  Along along = Along::columns;
  std::string a;
  std::string b = {};                      ///< empty: the leaves are the values of a
  std::optional<Conversion> product = {};  ///< products are rounded before they are added
  std::string c = {};                      ///< where the accumulators begin; empty: nowhere
  std::vector<Operand> operands = {};
};

struct Recipe;

/// The body runs once a block. It sees the state under its names, the block of every sliced tensor
/// and other tensors whole; its outputs are the next state, in the order of `state`.
struct Scan {
  struct State {
    std::string name;     ///< in the body
    std::string initial;  ///< a tensor that broadcasts to the state
  };
  struct Block {
    std::string name;
    std::string tensor;
    Along axis;  ///< columns or rows: the one that is cut
  };
  struct Whole {
    std::string name;
    std::string tensor;
  };

  std::vector<State> state;
  std::vector<Block> blocks;
  std::vector<Whole> whole = {};
  std::uint64_t block = 1;  ///< length of a block; the last one may be shorter
  bool descending = false;  ///< last block first; borders stay at multiples of `block`
  std::shared_ptr<const Recipe> body;
};

struct RecipeStep {
  std::vector<std::string> names;  ///< what it defines: one tensor, or one a state of a scan
  std::variant<Constant, Map, Reduce, Scan> work;
};

struct Recipe {
  std::vector<std::string> inputs;
  std::vector<RecipeStep> steps;
  std::vector<std::string> outputs;
};

/// A line a step, bodies indented. For people; not read back.
std::string print(const Recipe& recipe);

}  // namespace whybits
