// The judge: sums, dot products and elementary functions by MPFR, correctly rounded to any format.
// Independent of sim's arithmetic and of the superaccumulator, and slow: about 0.1 µs a term.
// L. Fousse et al., MPFR, ACM TOMS 33(2), 2007.
#pragma once

#include <optional>
#include <span>

#include "sim/dyadic.hpp"
#include "sim/leaves.hpp"
#include "sim/rounding.hpp"

namespace whybits::exact {

/// One format and its codes.
struct CodeSpan {
  Format format;
  std::span<const Bits> codes;
};

/// Σ x[i], rounded once. NaN and infinities as IEEE; the sign of an exact zero as a left-to-right
/// IEEE sum would have it. +0 for no terms. Of the rule, `flush` applies to the result only.
Bits oracle_sum(const CodeSpan& x, const Format& out, const RoundRule& rule = {});
/// Σ a[i]·b[i], rounded once. Throws std::invalid_argument for different lengths.
Bits oracle_dot(const CodeSpan& a, const CodeSpan& b, const Format& out,
                const RoundRule& rule = {});
/// Element (row, column) of A·B + c, rounded once: row-major codes, A with `k` columns and B with
/// `n`. c comes first, as an accumulator does; without it the sum starts with the first product.
/// Throws std::out_of_range if the matrices have no such row or column.
struct MatrixElement {
  std::size_t row = 0, column = 0, k = 0, n = 0;
};
Bits oracle_gemm_element(const CodeSpan& a, const CodeSpan& b, const MatrixElement& element,
                         const std::optional<Scalar>& c, const Format& out,
                         const RoundRule& rule = {});
/// The dot product itself. Throws std::domain_error if it is not finite.
Dyadic oracle_dot_value(const CodeSpan& a, const CodeSpan& b);

enum class Function : std::uint8_t {
  exp,
  exp2,
  log,   ///< of a negative number NaN, of ±0 −infinity
  rsqrt  ///< of a negative number NaN, of ±0 an infinity of that sign
};

/// f(x) of a code of `in`, correctly rounded to `out`. Overflow,
/// underflow, NaN and infinity end as the rule says. Errors: none.
Bits oracle_function(Function function, const Format& in, Bits x, const Format& out,
                     const RoundRule& rule = {});

}  // namespace whybits::exact
