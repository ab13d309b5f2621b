// Exact numbers m · 2^e. Sums, differences and products of floating-point values are such numbers,
// and so are the amounts that roundings discard: the ledger is kept in them, never in doubles.
// Integers are GMP's. Not for inner loops.
#pragma once

#include <gmpxx.h>

#include <compare>
#include <string>

#include "sim/rounding.hpp"

namespace whybits {

class Dyadic {
 public:
  Dyadic() = default;
  Dyadic(mpz_class mantissa, long exponent);  ///< mantissa · 2^exponent
  /// Value of a finite code. Precondition: neither NaN nor infinity (throws std::domain_error).
  static Dyadic from_code(const Format& format, Bits code);
  static Dyadic from_double(double value);

  const mpz_class& mantissa() const { return mantissa_; }  ///< odd, or 0
  long exponent() const { return exponent_; }              ///< 0 for zero
  bool is_zero() const { return mantissa_ == 0; }
  int sign() const { return sgn(mantissa_); }

  Dyadic operator-() const { return {-mantissa_, exponent_}; }
  Dyadic& operator+=(const Dyadic&);
  Dyadic& operator-=(const Dyadic& other) { return *this += -other; }
  friend Dyadic operator+(Dyadic a, const Dyadic& b) { return a += b; }
  friend Dyadic operator-(Dyadic a, const Dyadic& b) { return a -= b; }
  friend Dyadic operator*(const Dyadic& a, const Dyadic& b);
  friend bool operator==(const Dyadic& a, const Dyadic& b) {
    return a.exponent_ == b.exponent_ && a.mantissa_ == b.mantissa_;
  }
  friend std::strong_ordering operator<=>(const Dyadic& a, const Dyadic& b);
  Dyadic abs() const { return sign() < 0 ? -*this : *this; }

  /// Correctly rounded to a format; +0 for zero.
  Bits round_to(const Format& format, const RoundRule& rule = {}) const;
  double to_double() const;  ///< nearest even
  /// All digits: "-11.7188195750", "1.5e-45" style is never used; may be long.
  std::string to_decimal() const;

 private:
  void normalise();
  mpz_class mantissa_ = 0;
  long exponent_ = 0;
};

}  // namespace whybits
