// Exact sum and product: everything that an operation does before its one rounding.
#include "sim/arith.hpp"
#include "sim/bit_width.hpp"

namespace whybits {

namespace {

/// Exponent just above the leading one; the magnitude is below 2^top.
int top(const Unrounded& value) {
  return value.exponent + bit_width(value.significand);
}

}  // namespace

Unrounded exact_add(const Unrounded& a, const Unrounded& b) {
  if (b.significand == 0) return a;
  if (a.significand == 0) return b;
  const bool a_leads = top(a) >= top(b);
  const Unrounded& large = a_leads ? a : b;
  const Unrounded& small = a_leads ? b : a;

  // The larger one's leading one goes to bit 126: bit 127 takes a carry.
  const int large_shift = 127 - bit_width(large.significand);
  Unrounded sum{large.negative, false, large.exponent - large_shift,
                large.significand << large_shift};

  // Bits of the smaller one that fall below bit 0 become sticky. As its significand is below
  // 2^126, it then is less than half of the larger one: at most one leading bit can cancel.
  const int small_shift = small.exponent - sum.exponent;
  Uint128 aligned = 0;
  if (small_shift >= 0) {
    aligned = small.significand << small_shift;
  } else if (small_shift > -128) {
    aligned = small.significand >> -small_shift;
    sum.sticky = (aligned << -small_shift) != small.significand;
  } else {
    sum.sticky = true;
  }

  if (large.negative == small.negative) {
    sum.significand += aligned;
  } else if (aligned <= sum.significand) {
    // m − (n + ε) = (m − n − 1) + (1 − ε): still "and a little more".
    sum.significand -= aligned + (sum.sticky ? 1 : 0);
  } else {
    sum.significand = aligned - sum.significand;
    sum.negative = small.negative;
  }
  return sum;
}

Unrounded exact_mul(const Unpacked& a, const Unpacked& b) {
  return {a.negative != b.negative, false, a.exponent + b.exponent,
          Uint128{a.significand} * b.significand};
}

}  // namespace whybits
