// Exact sums of what an expression adds, in integers of GMP: the truth that ledgers are held to.
// Nothing of sim's exact numbers is used but the way out of them.
#pragma once

#include <gmpxx.h>

#include <optional>

#include "sim/dyadic.hpp"
#include "tests/support/naive_topology.hpp"

namespace whybits::test {

/// A finite number as an integer multiple of 2^−2400, below every product of two doubles.
using FixedPoint = mpz_class;
inline constexpr long fixed_point_exponent = -2400;

/// nullopt for NaN and infinities.
std::optional<FixedPoint> fixed_point(const Format& format, Bits code);
std::optional<FixedPoint> fixed_point_product(const Format& fa, Bits a, const Format& fb, Bits b);
FixedPoint fixed_point(const Dyadic& value);

/// A leaf as the ledger sees it: a value, or the exact product of the operands as they are.
std::optional<FixedPoint> fixed_point_leaf(const NaiveLeaves& leaves, std::uint64_t leaf);

/// The sum of every leaf, c and operand that takes part. nullopt if one of them is not finite.
std::optional<FixedPoint> naive_exact_sum(const TermPtr& term, const NaiveLeaves& leaves);

}  // namespace whybits::test
