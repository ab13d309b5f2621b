// One step taken apart, as rows of bits in columns of equal weight: what was added, where it was
// cut, the exact sum, and what the conversion made of it. Of a matrix unit this is the picture of
// a tensor core. Pure data; the command line prints it, the visualizer draws it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/leaves.hpp"
#include "sim/trace.hpp"

namespace whybits {

/// A signed binary number over columns of weight 2^top … 2^bottom.
struct BitRow {
  enum class Kind : std::uint8_t { accumulator, product, value, padding };
  Kind kind = Kind::product;
  std::int64_t leaf = -1;  ///< of a product or a value that is a leaf
  std::int64_t step = -1;  ///< of a value that is another step's result
  bool negative = false;
  int exponent = 0;     ///< that it brings to the alignment
  int leading = 0;      ///< weight of its first significant bit; meaningless for zero
  int last = 0;         ///< weight of its last one
  std::string bits;     ///< binary digits from `leading` down to `last`; empty for zero
  Dyadic value;         ///< with its sign, exact
  Dyadic cut;           ///< kept − value: what the alignment discarded of it
  std::string text;     ///< the value as decimal, short
  std::string factors;  ///< of a product: "0.1015625 × -0.734375"

  /// The digit in the column of weight 2^w: '0', '1', or ' ' outside of the number.
  char digit(int weight) const;
};

struct StepConversion {
  std::string to;      ///< "f32.rz"
  int last_place = 0;  ///< weight of the last bit that is kept
  bool guard = false, round = false, sticky = false, incremented = false;
  Dyadic discarded;  ///< result − sum of what was kept
};

struct StepView {
  std::string unit;          ///< "sm90.wgmma.bf16", "f32", "> bf16"
  std::string title;         ///< "sm90.wgmma.bf16: leaves 3584…3599 onto the sum of leaves 0…3583"
  bool aligned = false;      ///< a matrix unit: has a cut; else nothing is lost before the sum
  int top = 0;               ///< weight of the leftmost column
  int bottom = 0;            ///< weight of the rightmost column with a bit that is not 0
  int largest_exponent = 0;  ///< E
  int cut = 0;               ///< E − F: columns below fall off
  std::vector<BitRow> rows;  ///< the accumulator first
  BitRow sum;                ///< exact sum of what was kept
  BitRow result;
  StepConversion conversion;
  Format format;  ///< of the result
  Bits code = 0;
  Dyadic kept_sum;  ///< exact sum of what was kept: that of `sum`
  /// By operands that entered with fewer bits than they have: f32 words in a tf32 unit.
  Dyadic entry_discarded;
  Dyadic cut_discarded;        ///< by the alignment, over all rows
  Dyadic discarded;            ///< by the whole step: its ledger entry
  std::uint64_t rows_cut = 0;  ///< rows that lost bits at the cut
};

/// Precondition: step is one of the trace, made of these leaves; all its values are finite.
StepView view_step(const Trace& trace, std::int64_t step, const Leaves& leaves);

}  // namespace whybits
