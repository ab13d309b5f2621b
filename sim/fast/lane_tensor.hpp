// A tensor of a recipe as far as it is needed, in storage words: what steps read.
#pragma once

#include "sim/fast/code_matrix.hpp"
#include "sim/recipe_demand.hpp"

namespace whybits::fast {

/// Shares its words with what it was cut from. A dimension of 1 broadcasts.
struct LaneTensor {
  TensorType type;             ///< of the tensor, or of a block of it
  const Need* held = nullptr;  ///< rows and columns that `words` have, of the whole tensor
  CodeMatrix words;
  std::uint64_t row0 = 0;  ///< where the block begins
  std::uint64_t column0 = 0;

  /// Rows × columns of the tensor, or of what it broadcasts to. No words are copied where they lie
  /// side by side. Precondition: they are held.
  CodeMatrix grid(const IndexSet& rows, const IndexSet& columns) const;
};

/// The needed part of an input, which it borrows `need` for. Threads read rows at once.
LaneTensor read_tensor(const InputTensor& input, const Need& need, unsigned threads);

/// Codes, row-major.
std::vector<Bits> codes_of(const CodeMatrix& matrix, unsigned threads);

}  // namespace whybits::fast
