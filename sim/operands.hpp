// How every reference operation reads its operands.
#pragma once

#include "sim/rounding.hpp"

namespace whybits {

inline bool is_nan(const Unpacked& value) {
  return value.cls == FpClass::nan;
}

/// An operation that ends in NaN or infinity never rounds: its trace is empty.
inline void clear(RoundTrace* trace) {
  if (trace != nullptr) *trace = {};
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
