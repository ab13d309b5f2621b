// Number formats the slow way, for expected values: exact integers (GMP) and the definition of each
// rounding. Shares nothing with sim/ but the description of a format.
#pragma once

#include <gmpxx.h>

#include "sim/format.hpp"
#include "sim/rounding.hpp"

namespace whybits::test {

/// A code taken apart by the definition of its format: ± magnitude · 2^exponent.
struct NaiveNumber {
  bool nan = false;
  bool infinite = false;
  bool negative = false;
  mpz_class magnitude = 0;
  long exponent = 0;

  bool finite() const { return !nan && !infinite; }
  bool is_zero() const { return finite() && magnitude == 0; }
  mpz_class signed_magnitude() const { return negative ? mpz_class(-magnitude) : magnitude; }
};

NaiveNumber naive_decode(const Format& format, Bits code);

/// What becomes of a finite number that is too large.
enum class NaiveOverflow { to_infinity, ieee, saturate };

/// ± magnitude · 2^exponent to the format, nearest even or toward zero (nothing else is needed).
/// Zeros and results that round to zero keep the sign.
Bits naive_round(const Format& format, bool negative, const mpz_class& magnitude, long exponent,
                 Rounding rounding, NaiveOverflow overflow = NaiveOverflow::ieee);

Bits naive_nan(const Format& format);  ///< all ones below the sign
Bits naive_infinity(const Format& format, bool negative);

/// A code in another format: NaN becomes canonical, infinities stay, numbers are rounded.
Bits naive_convert(const Format& from, const Format& to, Bits code,
                   Rounding rounding = Rounding::nearest_even,
                   NaiveOverflow overflow = NaiveOverflow::ieee);

}  // namespace whybits::test
