// How every reference operation reads its operands.
#pragma once

#include "sim/rounding.hpp"

namespace whybits {

inline bool is_nan(const Unpacked& value) {
  return value.cls == FpClass::nan;
}

/// A NaN whose quiet bit, the highest of the fraction, is 0. The only NaN of e4m3 and of e8m0 is
/// quiet.
inline bool is_signalling(const Format& format, const Unpacked& value) {
  return is_nan(value) && format.specials == Specials::ieee &&
         (value.significand >> (format.fraction_bits - 1)) == 0;
}

/// An operation that ends in NaN or infinity, or in an exact zero without rounding, has flags at
/// most: the rest of its trace is empty.
inline void only_flags(RoundTrace* trace, const Flags& flags) {
  if (trace == nullptr) return;
  *trace = {};
  trace->flags = flags;
}

inline Bits nan_result(const Format& format, const RoundRule& rule, bool invalid,
                       RoundTrace* trace) {
  // A number in the place of a NaN is as good as no answer.
  only_flags(trace, {.invalid = invalid || !format.has_nan()});
  return nan_code(format, rule.nan);
}

/// Infinity from an infinite operand: exact, unless the format or saturation has something else in
/// its place.
inline Bits infinite_result(const Format& format, bool negative, const RoundRule& rule,
                            RoundTrace* trace) {
  const bool replaced = !format.has_infinity() || rule.overflow == Overflow::saturate;
  only_flags(trace, {.invalid = replaced});
  return infinity_code(format, negative, rule);
}

/// A code taken apart, a subnormal flushed to a zero of its sign if the rule says so.
inline Unpacked operand(const Format& format, Bits code, const RoundRule& rule) {
  Unpacked value = unpack(format, code);
  const bool flush = rule.flush == Flush::in || rule.flush == Flush::both;
  if (flush && value.cls == FpClass::subnormal) {
    value.cls = FpClass::zero;
    value.significand = 0;
  }
  return value;
}

}  // namespace whybits
