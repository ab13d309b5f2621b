// Exact sums and dot products at memory speed, into a superaccumulator.
//
// The formats choose the arithmetic (exact_path.hpp); every path gives the same sum, NaN,
// infinities and the sign of a zero included. A block that holds NaN or an infinity is added again
// term by term.
#pragma once

#include <span>

#include "exact/operand_words.hpp"
#include "sim/superaccumulator.hpp"

namespace whybits::exact {

/// Adds Σ a[i]·b[i]. Throws std::invalid_argument for different lengths. About 1 ns a term for f32
/// and narrower, several for f64.
void add_products(Superaccumulator& sum, const OperandWords& a, const OperandWords& b);
/// The same of operands that are already taken apart: f32 and narrower take the bins.
void add_products(Superaccumulator& sum, std::span<const Unpacked> a, std::span<const Unpacked> b);
/// Adds Σ x[i].
void add_values(Superaccumulator& sum, const OperandWords& x);

Superaccumulator exact_dot(const OperandWords& a, const OperandWords& b);
Superaccumulator exact_sum(const OperandWords& x);

}  // namespace whybits::exact
