// One step of a matrix unit, T(L, F, ρ, e0).
//
// Each operand is significand · 2^exponent, the exponent not below its format's smallest normal
// one; products are exact and not renormalised. A zero product or zero accumulator brings the
// exponent e0. E is the largest exponent; every term is cut toward zero to a multiple of
// 2^(E − F); the integers are added exactly; ρ converts once, overflow is infinity. A zero result
// is +0, also where a negative sum becomes zero only by ρ.
// With groups, the exact sum of each group's products is one term; its exponent is that of their
// scales, e0 if all its products are zero (a sum that cancels keeps its exponent).
// NaN, infinity · 0 and infinities of both signs give the canonical NaN; else an infinity stays.
#pragma once

#include <vector>

#include "sim/leaves.hpp"

namespace whybits {

/// accumulator: a code of unit.format. a, b: `count` ≤ L terms, `stride` apart; missing ones are
/// zero products. Returns a code of unit.format. O(count). Errors: TopologyError if a group's
/// products have different scales, because the step does not begin where blocks do.
Bits aligned_step(const Unit& unit, Bits accumulator, const Term* a, const Term* b,
                  std::ptrdiff_t stride, int count);

/// The same step taken apart, for pictures and explanations (finite operands only).
struct AlignedTrace {
  struct Row {
    bool negative = false;
    int exponent = 0;             ///< what it brings to the alignment
    std::uint64_t magnitude = 0;  ///< exact, in units of 2^lsb
    int lsb = 0;
    std::uint64_t kept = 0;  ///< after the cut, in units of 2^(E − F)
  };
  int top_exponent = 0;   ///< E
  int cut_exponent = 0;   ///< E − F, the last place that is kept
  std::vector<Row> rows;  ///< the accumulator first, then L products or L / group sums
  std::int64_t sum = 0;   ///< in units of 2^cut_exponent
  Bits result = 0;        ///< code of unit.format
  RoundTrace conversion;
};
AlignedTrace trace_aligned_step(const Unit& unit, Bits accumulator, const Term* a, const Term* b,
                                std::ptrdiff_t stride, int count);

}  // namespace whybits
