// Reference arithmetic: IEEE 754 add, sub, mul, fma, div, sqrt and convert for every format,
// in integers, correctly rounded by any rounding. Obviously right before fast; the processor's
// and MPFR's answers are what the tests compare it with.
//
// NaN: any NaN operand or invalid operation gives nan_code(format, rule.nan); NanRule::operand
// keeps an operand of fma.
// Zero: an exact zero sum is +0 (−0 when rounding down); equal signs keep theirs.
// Flush: `in` replaces subnormal operands, silently, `out` subnormal results, by zeros of their
// sign.
// Flags: the trace has the five of IEEE 754 §7. Where it leaves a choice: 0·∞ + NaN is invalid even
// if that NaN is quiet (as in SoftFloat), tininess is RoundRule's. Beyond IEEE: an infinity or NaN
// that the result's format lacks, or that saturation replaces, is invalid.
#pragma once

#include "sim/rounding.hpp"

namespace whybits {

Bits add(const Format&, Bits a, Bits b, const RoundRule& = {}, RoundTrace* = nullptr);
Bits sub(const Format&, Bits a, Bits b, const RoundRule& = {}, RoundTrace* = nullptr);
Bits mul(const Format&, Bits a, Bits b, const RoundRule& = {}, RoundTrace* = nullptr);
/// a·b + c with a single rounding.
Bits fma(const Format&, Bits a, Bits b, Bits c, const RoundRule& = {}, RoundTrace* = nullptr);
Bits div(const Format&, Bits a, Bits b, const RoundRule& = {}, RoundTrace* = nullptr);
Bits sqrt(const Format&, Bits a, const RoundRule& = {}, RoundTrace* = nullptr);
/// One rounding from any format to any other.
Bits convert(const Format& from, const Format& to, Bits a, const RoundRule& = {},
             RoundTrace* = nullptr);

/// Exact building blocks, shared by every operation and by the matrix units' conversion.
/// Sum of two finite values given as Unrounded without sticky and with significands below 2^124;
/// exact up to a sticky bit that arises only where no cancellation can follow. A sum of zero has
/// no sign of its own: the caller's rule gives it one.
Unrounded exact_add(const Unrounded& a, const Unrounded& b);
Unrounded exact_mul(const Unpacked& a, const Unpacked& b);

}  // namespace whybits
