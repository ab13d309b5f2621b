// The exact sum and product, and on them add, sub, mul, fma and convert: each one settles NaN and
// infinity, does exact work on integers and leaves through round_pack. Division and square root are
// in div_sqrt.cpp. `inline` lets g++ keep the 128-bit values in registers at -O2.
#include "sim/arith.hpp"

#include "sim/bit_width.hpp"
#include "sim/operands.hpp"

namespace whybits {

namespace {

/// A finite magnitude in units of 2^exponent.
struct Summand {
  Uint128 units = 0;
  int exponent = 0;
  bool negative = false;
};

/// Sum of two terms, the one with the larger exponent first.
inline Unrounded add_ordered(const Summand& high, const Summand& low) {
  const int room = 125 - bit_width(high.units);
  const int gap = high.exponent - low.exponent;
  Uint128 m = high.units << (gap <= room ? gap : room);
  Uint128 n = low.units;
  bool sticky = false;
  int exponent = low.exponent;
  if (gap > room) {
    // Far apart: `high` fills 125 bits, and what of `low` falls below them becomes sticky. `low`
    // was below 2^124 and loses at least one bit, so it is at most half of `high`: a difference
    // cancels no more than one leading bit.
    const int drop = gap - room;
    n = drop < 128 ? low.units >> drop : 0;
    sticky = drop < 128 ? (n << drop) != low.units : low.units != 0;
    exponent += drop;
  }
  if (high.negative == low.negative) return {high.negative, sticky, exponent, m + n};
  // m − (n + ε) = (m − n − 1) + (1 − ε): again "and a little more".
  const bool reversed = n > m;
  return {reversed ? low.negative : high.negative, sticky, exponent,
          reversed ? n - m : m - n - sticky};
}

}  // namespace

Unrounded exact_add(const Unrounded& a, const Unrounded& b) {
  // A zero is on every grid.
  const Summand x{a.significand, a.significand != 0 ? a.exponent : b.exponent, a.negative};
  const Summand y{b.significand, b.significand != 0 ? b.exponent : a.exponent, b.negative};
  return x.exponent >= y.exponent ? add_ordered(x, y) : add_ordered(y, x);
}

Unrounded exact_mul(const Unpacked& a, const Unpacked& b) {
  return {a.negative != b.negative, false, a.exponent + b.exponent,
          Uint128{a.significand} * b.significand};
}

namespace {

Unrounded as_unrounded(const Unpacked& value) {
  return {value.negative, false, value.exponent, value.significand};
}

/// Rounds a + b. A zero sum is +0 (−0 when rounding down) unless both addends have one sign.
inline Bits round_sum(const Format& format, const Unrounded& a, const Unrounded& b,
                      const RoundRule& rule, RoundTrace* trace) {
  Unrounded sum = exact_add(a, b);
  if (sum.significand == 0)
    sum.negative = a.negative == b.negative ? a.negative : rule.rounding == Rounding::down;
  return round_pack(format, sum, rule, trace);
}

/// 0 · ∞, in either order.
bool zero_times_infinity(const Unpacked& a, const Unpacked& b) {
  return (a.cls == FpClass::zero && b.cls == FpClass::infinity) ||
         (a.cls == FpClass::infinity && b.cls == FpClass::zero);
}

inline Bits add_unpacked(const Format& format, const Unpacked& a, const Unpacked& b,
                         const RoundRule& rule, RoundTrace* trace) {
  if (a.finite() && b.finite())
    return round_sum(format, as_unrounded(a), as_unrounded(b), rule, trace);

  const bool opposite =
      a.cls == FpClass::infinity && b.cls == FpClass::infinity && a.negative != b.negative;
  const bool signalling = is_signalling(format, a) || is_signalling(format, b);
  if (is_nan(a) || is_nan(b) || opposite)
    return nan_result(format, rule, signalling || opposite, trace);
  return infinite_result(format, a.cls == FpClass::infinity ? a.negative : b.negative, rule, trace);
}

}  // namespace

Bits add(const Format& format, Bits a, Bits b, const RoundRule& rule, RoundTrace* trace) {
  return add_unpacked(format, operand(format, a, rule), operand(format, b, rule), rule, trace);
}

Bits sub(const Format& format, Bits a, Bits b, const RoundRule& rule, RoundTrace* trace) {
  Unpacked minus_b = operand(format, b, rule);
  minus_b.negative = !minus_b.negative;
  return add_unpacked(format, operand(format, a, rule), minus_b, rule, trace);
}

Bits mul(const Format& format, Bits a, Bits b, const RoundRule& rule, RoundTrace* trace) {
  const Unpacked x = operand(format, a, rule);
  const Unpacked y = operand(format, b, rule);
  if (x.finite() && y.finite()) return round_pack(format, exact_mul(x, y), rule, trace);

  const bool invalid =
      zero_times_infinity(x, y) || is_signalling(format, x) || is_signalling(format, y);
  if (is_nan(x) || is_nan(y) || invalid) return nan_result(format, rule, invalid, trace);
  return infinite_result(format, x.negative != y.negative, rule, trace);
}

namespace {

/// NanRule::operand: of b, c, a the first that is NaN, made quiet.
Bits kept_nan(const Format& format, Bits a, Bits b, Bits c) {
  for (const Bits code : {b, c, a})
    if (is_nan(unpack(format, code))) return (code & format.code_mask()) | format.ieee_nan();
  return nan_code(format, NanRule::operand);
}

}  // namespace

Bits fma(const Format& format, Bits a, Bits b, Bits c, const RoundRule& rule, RoundTrace* trace) {
  const Unpacked x = operand(format, a, rule);
  const Unpacked y = operand(format, b, rule);
  const Unpacked z = operand(format, c, rule);
  if (x.finite() && y.finite() && z.finite())
    return round_sum(format, exact_mul(x, y), as_unrounded(z), rule, trace);

  const bool product_negative = x.negative != y.negative;
  const bool invalid = zero_times_infinity(x, y) || is_signalling(format, x) ||
                       is_signalling(format, y) || is_signalling(format, z);
  if (is_nan(x) || is_nan(y) || is_nan(z) || invalid) {
    const Bits canonical = nan_result(format, rule, invalid, trace);
    return rule.nan == NanRule::operand ? kept_nan(format, a, b, c) : canonical;
  }
  if (x.finite() && y.finite()) return infinite_result(format, z.negative, rule, trace);
  if (!z.finite() && z.negative != product_negative) return nan_result(format, rule, true, trace);
  return infinite_result(format, product_negative, rule, trace);
}

Bits convert(const Format& from, const Format& to, Bits a, const RoundRule& rule,
             RoundTrace* trace) {
  const Unpacked x = operand(from, a, rule);
  if (x.finite()) return round_pack(to, as_unrounded(x), rule, trace);

  if (is_nan(x)) return nan_result(to, rule, is_signalling(from, x), trace);
  return infinite_result(to, x.negative, rule, trace);
}

}  // namespace whybits
