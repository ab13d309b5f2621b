#include "exact/real.hpp"

#include <algorithm>
#include <stdexcept>

namespace whybits::exact {
namespace {

static_assert(sizeof(unsigned long) == sizeof(Bits), "codes pass through MPFR's unsigned long");

Bits nan_of(const Format& format, const RoundRule& rule) {
  const Bits all_ones = format.sign_mask() - 1;
  if (format.specials != Specials::ieee) return all_ones;  // e4m3's NaN, or a largest number
  if (rule.nan == NanRule::gpu) return all_ones;
  return (format.exponent_field_max() << format.fraction_bits) |
         (Bits{1} << (format.fraction_bits - 1));
}

Bits largest_of(const Format& format) {
  const Bits all_ones = format.sign_mask() - 1;
  switch (format.specials) {
    case Specials::ieee:
      return (format.exponent_field_max() << format.fraction_bits) - 1;
    case Specials::nan_only:
      return all_ones - 1;
    case Specials::none:
      return all_ones;
  }
  return all_ones;
}

/// Magnitude of the result for an infinity.
Bits infinity_of(const Format& format, const RoundRule& rule) {
  if (rule.overflow == Overflow::saturate) return largest_of(format);
  if (format.specials == Specials::ieee) return format.exponent_field_max() << format.fraction_bits;
  return nan_of(format, rule);
}

/// Magnitude of the result for a finite value beyond the largest finite number.
Bits overflow_of(const Format& format, bool negative, const RoundRule& rule) {
  const bool inward = rule.rounding == Rounding::zero || rule.rounding == Rounding::odd ||
                      rule.rounding == (negative ? Rounding::up : Rounding::down);
  if (rule.overflow == Overflow::ieee && inward) return largest_of(format);
  return infinity_of(format, rule);
}

/// |scaled| rounded to an integer by the rule; its sign decides what up and down mean.
Bits round_to_integer(const Real& scaled, Rounding rounding) {
  Real whole(mpfr_get_prec(scaled.get()));
  switch (rounding) {
    case Rounding::nearest_even:
      mpfr_rint(whole.get(), scaled.get(), MPFR_RNDN);
      break;
    case Rounding::nearest_away:
      mpfr_round(whole.get(), scaled.get());
      break;
    case Rounding::up:
      mpfr_ceil(whole.get(), scaled.get());
      break;
    case Rounding::down:
      mpfr_floor(whole.get(), scaled.get());
      break;
    case Rounding::zero:
    case Rounding::odd:
      mpfr_trunc(whole.get(), scaled.get());
      break;
    case Rounding::stochastic:
      throw std::domain_error("the correctly rounded result is not a random one");
  }
  const bool inexact = mpfr_equal_p(whole.get(), scaled.get()) == 0;
  mpfr_abs(whole.get(), whole.get(), MPFR_RNDN);
  const Bits integer = mpfr_get_ui(whole.get(), MPFR_RNDN);
  return rounding == Rounding::odd && inexact ? integer | 1 : integer;
}

Bits finite_magnitude(const Format& format, const Real& value, const RoundRule& rule) {
  const bool negative = mpfr_signbit(value.get()) != 0;
  const long exponent = mpfr_get_exp(value.get()) - 1;  // of 1.f · 2^exponent
  if (exponent > format.max_exponent()) return overflow_of(format, negative, rule);
  const long ulp_exponent =
      std::max<long>(exponent - format.fraction_bits, format.quantum_exponent());
  Real scaled(std::max<mpfr_prec_t>(mpfr_get_prec(value.get()), 64));
  mpfr_mul_2si(scaled.get(), value.get(), -ulp_exponent, MPFR_RNDN);  // exact
  const Bits units = round_to_integer(scaled, rule.rounding);

  // `units` counts units of the last place of one binade; codes count on across binades.
  const auto binade = static_cast<Bits>(ulp_exponent - format.quantum_exponent());
  const Bits magnitude = (binade << format.fraction_bits) + units;
  if (magnitude > largest_of(format)) return overflow_of(format, negative, rule);
  const bool subnormal = magnitude < Bits{1} << format.fraction_bits;
  const bool flush = rule.flush == Flush::out || rule.flush == Flush::both;
  return subnormal && flush ? 0 : magnitude;
}

}  // namespace

Real real_from_code(const Format& format, Bits code) {
  const Bits sign_bit = Bits{1} << (format.exponent_bits + format.fraction_bits);
  const Bits field = (code & (sign_bit - 1)) >> format.fraction_bits;
  const Bits fraction = code & ((Bits{1} << format.fraction_bits) - 1);
  const bool top_field = field == (Bits{1} << format.exponent_bits) - 1;
  const int sign = (code & sign_bit) != 0 ? -1 : 1;

  Real value(64);
  if (format.specials == Specials::ieee && top_field) {
    if (fraction == 0) mpfr_set_inf(value.get(), sign);  // else the NaN that it already is
    return value;
  }
  if (format.specials == Specials::nan_only && (code & (sign_bit - 1)) == sign_bit - 1)
    return value;
  const Bits significand = field == 0 ? fraction : fraction | Bits{1} << format.fraction_bits;
  const long exponent =
      std::max<long>(static_cast<long>(field), 1) - format.bias() - format.fraction_bits;
  mpfr_set_ui_2exp(value.get(), significand, exponent, MPFR_RNDN);
  mpfr_setsign(value.get(), value.get(), sign < 0 ? 1 : 0, MPFR_RNDN);
  return value;
}

Bits code_from_real(const Format& format, const Real& value, const RoundRule& rule) {
  if (mpfr_nan_p(value.get()) != 0) return nan_of(format, rule);
  const bool negative = mpfr_signbit(value.get()) != 0;
  const Bits sign = negative ? format.sign_mask() : 0;
  Bits magnitude = 0;
  if (mpfr_inf_p(value.get()) != 0) {
    // In a format without infinities this is a NaN or the largest number, of the infinity's sign.
    magnitude = infinity_of(format, rule);
  } else if (mpfr_zero_p(value.get()) == 0) {
    magnitude = finite_magnitude(format, value, rule);
  }
  return sign | magnitude;
}

}  // namespace whybits::exact
