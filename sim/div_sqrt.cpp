// Division and square root: integer quotient and root of more than 64 bits, and whether anything
// remains. That is all that a rounding can ask.
#include "sim/arith.hpp"
#include "sim/bit_width.hpp"
#include "sim/operands.hpp"

namespace whybits {

namespace {

/// a / b of nonzero finite values. The quotient has at least 75 bits: 128 less b's 53.
Unrounded quotient(const Unpacked& a, const Unpacked& b) {
  const int shift = 128 - bit_width(a.significand);
  const Uint128 dividend = Uint128{a.significand} << shift;
  const Uint128 divisor = b.significand;
  return {a.negative != b.negative, dividend % divisor != 0, a.exponent - shift - b.exponent,
          dividend / divisor};
}

struct Root {
  Uint128 root = 0;
  Uint128 remainder = 0;  ///< radicand − root²
};

/// Floor of the square root, digit by digit: each bit stays if the square still fits.
Root integer_root(Uint128 radicand) {
  Root result{0, radicand};
  for (Uint128 bit = Uint128{1} << 126; bit != 0; bit >>= 2) {
    const Uint128 increase = result.root + bit;  // (r + d)² − r² in units of the current digit
    result.root >>= 1;
    if (result.remainder >= increase) {
      result.remainder -= increase;
      result.root += bit;
    }
  }
  return result;
}

/// Root of a positive finite value, to 65 bits.
Unrounded root_of(const Unpacked& a) {
  int shift = 128 - bit_width(a.significand);
  if ((a.exponent - shift) % 2 != 0) --shift;  // the exponent is to be halved
  const auto [root, remainder] = integer_root(Uint128{a.significand} << shift);
  // The 65th bit: (2r + 1)² ≤ 4x means r < x − r². Then 4x − (2r + 1)² is odd, so never zero.
  const bool half = remainder > root;
  return {false, remainder != 0, (a.exponent - shift) / 2 - 1, (root << 1) + (half ? 1 : 0)};
}

}  // namespace

Bits div(const Format& format, Bits a, Bits b, const RoundRule& rule, RoundTrace* trace) {
  const Unpacked x = operand(format, a, rule);
  const Unpacked y = operand(format, b, rule);
  const bool negative = x.negative != y.negative;

  if (is_nan(x) || is_nan(y))
    return nan_result(format, rule, is_signalling(format, x) || is_signalling(format, y), trace);
  const bool both_zero = x.cls == FpClass::zero && y.cls == FpClass::zero;
  if (both_zero || (!x.finite() && !y.finite())) return nan_result(format, rule, true, trace);
  if (!x.finite()) return infinite_result(format, negative, rule, trace);
  if (y.cls == FpClass::zero) {
    only_flags(trace, {.divide_by_zero = true});
    return infinity_code(format, negative, rule);
  }
  if (!y.finite() || x.cls == FpClass::zero) {
    only_flags(trace, {});
    return format.sign(negative);
  }
  return round_pack(format, quotient(x, y), rule, trace);
}

Bits sqrt(const Format& format, Bits a, const RoundRule& rule, RoundTrace* trace) {
  const Unpacked x = operand(format, a, rule);

  if (x.cls == FpClass::zero) {
    only_flags(trace, {});
    return format.sign(x.negative);
  }
  if (is_nan(x)) return nan_result(format, rule, is_signalling(format, x), trace);
  if (x.negative) return nan_result(format, rule, true, trace);
  if (!x.finite()) return infinite_result(format, false, rule, trace);
  return round_pack(format, root_of(x), rule, trace);
}

}  // namespace whybits
