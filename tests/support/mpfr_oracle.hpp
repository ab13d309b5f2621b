#pragma once

#include <mpfr.h>

#include <cstdint>
#include <stdexcept>

#include "sim/rounding.hpp"

// A second opinion on every operation, format and rounding, made of MPFR and nothing of ours but
// the names of formats and rules. A result is computed to 320 bits toward zero; if it is inexact,
// half a unit more is added, which no rounding to 53 bits or fewer can tell from the truth. Scaled
// by its last place it then goes through MPFR's own roundings to an integer: mpfr_roundeven,
// mpfr_round, mpfr_trunc, mpfr_ceil, mpfr_floor.

namespace whybits::test {

/// An mpfr_t that frees itself.
class Real {
 public:
  explicit Real(mpfr_prec_t precision = 320) { mpfr_init2(value_, precision); }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

 private:
  mpfr_t value_;
};

/// Sets `out` to the value of a code, field by field: 1.f · 2^(e − bias), or 0.f · 2^(1 − bias).
inline void decode(const Format& format, Bits code, Real& out) {
  const int fraction_bits = format.fraction_bits;
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const auto fraction = static_cast<std::uint64_t>(code % (Bits{1} << fraction_bits));
  const auto exponent =
      static_cast<long>((code >> fraction_bits) % (Bits{1} << format.exponent_bits));
  const bool negative = ((code >> (fraction_bits + format.exponent_bits)) & 1) != 0;
  const long top = (1L << format.exponent_bits) - 1;

  const std::uint64_t all_ones = (std::uint64_t{1} << fraction_bits) - 1;
  const bool ieee_special = format.specials == Specials::ieee && exponent == top;
  const bool nan_code =
      format.specials == Specials::nan_only && exponent == top && fraction == all_ones;
  if (nan_code || (ieee_special && fraction != 0)) {
    mpfr_set_nan(out.get());
  } else if (ieee_special) {
    mpfr_set_inf(out.get(), 1);
  } else if (exponent == 0) {
    mpfr_set_ui_2exp(out.get(), fraction, 1 - bias - fraction_bits, MPFR_RNDN);
  } else {
    mpfr_set_ui_2exp(out.get(), fraction + all_ones + 1, exponent - bias - fraction_bits,
                     MPFR_RNDN);
  }
  mpfr_setsign(out.get(), out.get(), negative ? 1 : 0, MPFR_RNDN);
}

/// Rounds values that MPFR computed. One object, many uses: it keeps its temporaries.
class MpfrRounder {
 public:
  /// `value` computed by MPFR toward zero, with MPFR's ternary value (0: exact). Zeros have the
  /// sign that IEEE gives them.
  Bits round(const Format& format, const Real& value, int ternary, const RoundRule& rule) {
    const Bits sign = mpfr_signbit(value.get()) != 0 ? sign_bit(format) : 0;
    flags_ = {};
    if (mpfr_nan_p(value.get()) != 0) return nan(format);
    if (mpfr_inf_p(value.get()) != 0) return sign | beyond(format, rule.overflow);
    if (mpfr_zero_p(value.get()) != 0) return sign;

    // Truth is beyond `value` by less than a unit in its last place: take the middle.
    mpfr_set_prec(scaled_.get(), mpfr_get_prec(value.get()) + 2);
    mpfr_set(scaled_.get(), value.get(), MPFR_RNDN);
    if (ternary != 0) {
      const long half_unit = mpfr_get_exp(value.get()) - mpfr_get_prec(value.get()) - 1;
      mpfr_set_si_2exp(half_.get(), sign != 0 ? -1 : 1, half_unit, MPFR_RNDN);
      mpfr_add(scaled_.get(), scaled_.get(), half_.get(), MPFR_RNDN);
    }

    const long bias = (1L << (format.exponent_bits - 1)) - 1;
    long binade = mpfr_get_exp(value.get()) - 1;  // MPFR's mantissas are in [½, 1)
    const bool tiny = is_tiny(format, binade, rule);
    if (binade < 1 - bias) binade = 1 - bias;
    const long last_place = binade - format.fraction_bits;
    mpfr_mul_2si(scaled_.get(), scaled_.get(), -last_place, MPFR_RNDN);
    to_integer(rule);

    const auto places = static_cast<std::uint64_t>(mpfr_get_uj(integer_.get(), MPFR_RNDN));
    const Bits code = sign | encode(format, places, binade + bias, sign != 0, rule);
    flags_.inexact = flags_.overflow || mpfr_integer_p(scaled_.get()) == 0;
    flags_.underflow = flags_.inexact && tiny;
    return code;
  }

  /// What the last round() raised.
  const Flags& flags() const { return flags_; }

 private:
  static Bits sign_bit(const Format& format) {
    return Bits{1} << (format.exponent_bits + format.fraction_bits);
  }
  static Bits largest(const Format& format) {
    switch (format.specials) {
      case Specials::ieee:
        return sign_bit(format) - 1 - (Bits{1} << format.fraction_bits);
      case Specials::nan_only:
        return sign_bit(format) - 2;
      case Specials::none:
        return sign_bit(format) - 1;
    }
    return 0;
  }
  static Bits nan(const Format& format) { return sign_bit(format) - 1; }
  /// What stands for infinity, or takes its place.
  static Bits beyond(const Format& format, Overflow overflow) {
    if (overflow == Overflow::saturate) return largest(format);
    return format.specials == Specials::ieee ? largest(format) + 1 : sign_bit(format) - 1;
  }

  /// Whether `scaled_`, still of its true size 2^exponent, is tiny: rounded to full precision, in
  /// units of its own last place, does it become the smallest normal number?
  bool is_tiny(const Format& format, long exponent, const RoundRule& rule) {
    const long lowest = 2 - (1L << (format.exponent_bits - 1));
    if (exponent >= lowest) return false;
    if (rule.tininess == Tininess::before || exponent < lowest - 1) return true;
    const long last_place = exponent - format.fraction_bits;
    mpfr_mul_2si(scaled_.get(), scaled_.get(), -last_place, MPFR_RNDN);
    to_integer(rule);
    mpfr_mul_2si(scaled_.get(), scaled_.get(), last_place, MPFR_RNDN);
    return mpfr_cmp_ui_2exp(integer_.get(), 1, format.fraction_bits + 1) < 0;
  }

  void to_integer(const RoundRule& rule) {
    switch (rule.rounding) {
      case Rounding::nearest_even:
        mpfr_roundeven(integer_.get(), scaled_.get());
        break;
      case Rounding::nearest_away:
        mpfr_round(integer_.get(), scaled_.get());
        break;
      case Rounding::zero:
        mpfr_trunc(integer_.get(), scaled_.get());
        break;
      case Rounding::up:
        mpfr_ceil(integer_.get(), scaled_.get());
        break;
      case Rounding::down:
        mpfr_floor(integer_.get(), scaled_.get());
        break;
      case Rounding::odd: {
        const bool inexact = mpfr_integer_p(scaled_.get()) == 0;
        mpfr_trunc(integer_.get(), scaled_.get());
        mpfr_abs(integer_.get(), integer_.get(), MPFR_RNDN);
        const bool even = mpfr_get_uj(integer_.get(), MPFR_RNDN) % 2 == 0;
        if (inexact && even) mpfr_add_ui(integer_.get(), integer_.get(), 1, MPFR_RNDN);
        break;
      }
      case Rounding::stochastic:
        // |x| cut at 2^−count, plus that many random bits, cut at 1.
        mpfr_set_ui_2exp(random_.get(), rule.random.value, -rule.random.count, MPFR_RNDN);
        mpfr_abs(integer_.get(), scaled_.get(), MPFR_RNDZ);
        mpfr_mul_2si(integer_.get(), integer_.get(), rule.random.count, MPFR_RNDN);
        mpfr_trunc(integer_.get(), integer_.get());
        mpfr_mul_2si(integer_.get(), integer_.get(), -rule.random.count, MPFR_RNDN);
        mpfr_add(integer_.get(), integer_.get(), random_.get(), MPFR_RNDN);
        mpfr_trunc(integer_.get(), integer_.get());
        break;
    }
    mpfr_abs(integer_.get(), integer_.get(), MPFR_RNDN);
  }

  /// Magnitude code of places · 2^(exponent − bias − fraction_bits), exponent ≥ 1 and biased.
  Bits encode(const Format& format, std::uint64_t places, long exponent, bool negative,
              const RoundRule& rule) {
    const std::uint64_t one = std::uint64_t{1} << format.fraction_bits;
    if (places == 2 * one) {
      places = one;
      ++exponent;
    }
    if (places < one) return places;  // subnormal
    const long top = (1L << format.exponent_bits) - 1;
    const Bits code = (static_cast<Bits>(exponent) << format.fraction_bits) + (places - one);
    if (exponent <= top && code <= largest(format)) return code;
    flags_.overflow = true;

    const bool inward = rule.rounding == Rounding::zero || rule.rounding == Rounding::odd ||
                        rule.rounding == (negative ? Rounding::up : Rounding::down);
    if (rule.overflow == Overflow::ieee && inward) return largest(format);
    return beyond(format, rule.overflow);
  }

  Real scaled_;
  Real integer_;
  Real half_;
  Real random_{32};
  Flags flags_;
};

enum class Operation : std::uint8_t { add, sub, mul, div, sqrt, fma };
inline constexpr Operation all_operations[] = {Operation::add, Operation::sub,  Operation::mul,
                                               Operation::div, Operation::sqrt, Operation::fma};

/// Operations on codes, computed by MPFR.
class MpfrOracle {
 public:
  Bits operator()(Operation operation, const Format& format, Bits a, Bits b, Bits c,
                  const RoundRule& rule) {
    decode(format, a, a_);
    decode(format, b, b_);
    decode(format, c, c_);
    mpfr_clear_flags();
    int ternary = apply(operation, MPFR_RNDZ);
    flags_ = {};
    flags_.divide_by_zero = mpfr_divby0_p() != 0;
    flags_.invalid = is_invalid(operation, format, a, b, c);
    // The sign of an exact zero sum is the only thing that depends on the mode here.
    if (mpfr_zero_p(result_.get()) != 0 && rule.rounding == Rounding::down)
      ternary = apply(operation, MPFR_RNDD);
    const Bits code = rounder_.round(format, result_, ternary, rule);
    flags_ = flags_ | rounder_.flags();
    return code;
  }

  /// What the last operation or conversion raised. Defined for formats with infinity and NaN, and
  /// without flushing and saturation.
  const Flags& flags() const { return flags_; }

  Bits convert(const Format& from, const Format& to, Bits a, const RoundRule& rule) {
    decode(from, a, a_);
    const Bits code = rounder_.round(to, a_, 0, rule);
    flags_ = rounder_.flags();
    flags_.invalid = is_signalling(from, a);
    return code;
  }

 private:
  /// By hand: a signalling NaN is one whose fraction is below half of all fractions.
  static bool is_signalling(const Format& format, Bits code) {
    const Bits fraction = code % (Bits{1} << format.fraction_bits);
    const Bits exponent = (code >> format.fraction_bits) % (Bits{1} << format.exponent_bits);
    return format.specials == Specials::ieee && exponent == (Bits{1} << format.exponent_bits) - 1 &&
           fraction != 0 && fraction < Bits{1} << (format.fraction_bits - 1);
  }

  /// NaN from operands that are none, a signalling NaN, or 0·∞ in front of any NaN.
  bool is_invalid(Operation operation, const Format& format, Bits a, Bits b, Bits c) const {
    const bool two = operation != Operation::sqrt, three = operation == Operation::fma;
    const bool nan = mpfr_nan_p(a_.get()) != 0 || (two && mpfr_nan_p(b_.get()) != 0) ||
                     (three && mpfr_nan_p(c_.get()) != 0);
    const bool zero_times_infinity =
        three && ((mpfr_zero_p(a_.get()) != 0 && mpfr_inf_p(b_.get()) != 0) ||
                  (mpfr_inf_p(a_.get()) != 0 && mpfr_zero_p(b_.get()) != 0));
    return is_signalling(format, a) || (two && is_signalling(format, b)) ||
           (three && is_signalling(format, c)) || zero_times_infinity ||
           (!nan && mpfr_nan_p(result_.get()) != 0);
  }

  int apply(Operation operation, mpfr_rnd_t mode) {
    switch (operation) {
      case Operation::add:
        return mpfr_add(result_.get(), a_.get(), b_.get(), mode);
      case Operation::sub:
        return mpfr_sub(result_.get(), a_.get(), b_.get(), mode);
      case Operation::mul:
        return mpfr_mul(result_.get(), a_.get(), b_.get(), mode);
      case Operation::div:
        return mpfr_div(result_.get(), a_.get(), b_.get(), mode);
      case Operation::sqrt:
        return mpfr_sqrt(result_.get(), a_.get(), mode);
      case Operation::fma:
        return mpfr_fma(result_.get(), a_.get(), b_.get(), c_.get(), mode);
    }
    throw std::logic_error("no such operation");
  }

  Real a_, b_, c_, result_;
  MpfrRounder rounder_;
  Flags flags_;
};

}  // namespace whybits::test
