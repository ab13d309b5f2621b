#include "tests/support/naive_formats.hpp"

namespace whybits::test {
namespace {

mpz_class power_of_two(long exponent) {
  mpz_class result = 1;
  result <<= static_cast<mp_bitcnt_t>(exponent);
  return result;
}

Bits largest_finite(const Format& f) {
  const Bits all_ones = (Bits{1} << (f.exponent_bits + f.fraction_bits)) - 1;
  if (f.specials == Specials::none) return all_ones;
  if (f.specials == Specials::nan_only) return all_ones - 1;
  return (((Bits{1} << f.exponent_bits) - 1) << f.fraction_bits) - 1;
}

Bits sign_bit(const Format& f, bool negative) {
  return negative ? Bits{1} << (f.exponent_bits + f.fraction_bits) : 0;
}

}  // namespace

NaiveNumber naive_decode(const Format& f, Bits code) {
  NaiveNumber number;
  number.negative = ((code >> (f.exponent_bits + f.fraction_bits)) & 1) != 0;
  const Bits magnitude = code & ((Bits{1} << (f.exponent_bits + f.fraction_bits)) - 1);
  const Bits fraction = magnitude % (Bits{1} << f.fraction_bits);
  const auto field = static_cast<long>(magnitude >> f.fraction_bits);
  if (magnitude > largest_finite(f)) {
    number.infinite = f.specials == Specials::ieee && fraction == 0;
    number.nan = !number.infinite;
    return number;
  }
  const long bias = (1L << (f.exponent_bits - 1)) - 1;
  number.magnitude = static_cast<unsigned long>(fraction);
  if (field > 0) number.magnitude += power_of_two(f.fraction_bits);
  number.exponent = (field > 0 ? field : 1) - bias - f.fraction_bits;
  return number;
}

Bits naive_nan(const Format& f) {
  return (Bits{1} << (f.exponent_bits + f.fraction_bits)) - 1;
}

Bits naive_infinity(const Format& f, bool negative) {
  if (f.specials == Specials::ieee)
    return sign_bit(f, negative) | (((Bits{1} << f.exponent_bits) - 1) << f.fraction_bits);
  return sign_bit(f, negative) |
         (f.specials == Specials::nan_only ? naive_nan(f) : largest_finite(f));
}

Bits naive_round(const Format& f, bool negative, const mpz_class& magnitude, long exponent,
                 Rounding rounding, NaiveOverflow overflow) {
  if (magnitude == 0) return sign_bit(f, negative);
  const long bias = (1L << (f.exponent_bits - 1)) - 1;
  const long smallest_ulp = 1 - bias - f.fraction_bits;
  const long top = exponent + static_cast<long>(mpz_sizeinbase(magnitude.get_mpz_t(), 2)) - 1;
  long ulp = std::max(top - f.fraction_bits, smallest_ulp);
  mpz_class kept;
  if (exponent >= ulp) {
    kept = magnitude * power_of_two(exponent - ulp);
  } else {
    const mpz_class divisor = power_of_two(ulp - exponent);
    kept = magnitude / divisor;
    const mpz_class twice_rest = 2 * (magnitude % divisor);
    const bool odd = mpz_odd_p(kept.get_mpz_t()) != 0;
    if (rounding == Rounding::nearest_even &&
        (twice_rest > divisor || (twice_rest == divisor && odd)))
      kept += 1;
  }
  if (kept == power_of_two(f.fraction_bits + 1)) {  // rounded up to the next binade
    kept /= 2;
    ulp += 1;
  }
  const mpz_class hidden = power_of_two(f.fraction_bits);
  mpz_class code = kept;
  if (kept >= hidden) code = (ulp - smallest_ulp + 1) * hidden + (kept - hidden);
  const Bits largest = largest_finite(f);
  if (code > mpz_class(static_cast<unsigned long>(largest))) {
    if (overflow == NaiveOverflow::saturate ||
        (overflow == NaiveOverflow::ieee && rounding == Rounding::zero))
      return sign_bit(f, negative) | largest;
    return naive_infinity(f, negative);
  }
  return sign_bit(f, negative) | code.get_ui();
}

Bits naive_convert(const Format& from, const Format& to, Bits code, Rounding rounding,
                   NaiveOverflow overflow) {
  const NaiveNumber number = naive_decode(from, code);
  if (number.nan) return naive_nan(to);
  if (number.infinite)
    return overflow == NaiveOverflow::saturate ? sign_bit(to, number.negative) | largest_finite(to)
                                               : naive_infinity(to, number.negative);
  return naive_round(to, number.negative, number.magnitude, number.exponent, rounding, overflow);
}

}  // namespace whybits::test
