// A tensor as a step of a recipe reads it: a computed patch or an input, or a block of one.
#pragma once

#include "sim/leaves.hpp"
#include "sim/recipe_demand.hpp"
#include "sim/tensor.hpp"

namespace whybits {

/// Borrows what it looks at. A dimension of 1 broadcasts: its only place answers for every index.
struct TensorView {
  TensorType type;  ///< of the block
  const Patch* patch = nullptr;
  const CodeSource* source = nullptr;  ///< if there is no patch
  std::uint64_t source_columns = 0;
  std::uint64_t row0 = 0;  ///< where the block begins
  std::uint64_t column0 = 0;

  static TensorView of(const Patch& patch);
  static TensorView of(const InputTensor& input);

  Bits at(std::uint64_t row, std::uint64_t column) const;
  /// The first n codes of a row or of a column.
  OperandVector row(std::uint64_t row, std::uint64_t n) const;
  OperandVector column(std::uint64_t column, std::uint64_t n) const;
  /// Codes on a grid, row-major.
  std::vector<Bits> grid(const Need& need) const;
};

}  // namespace whybits
