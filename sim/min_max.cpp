#include "sim/min_max.hpp"

#include "sim/compare.hpp"
#include "sim/operands.hpp"

namespace whybits {

namespace {

Bits flushed(const Format& format, Bits code) {
  return unpack(format, code).cls == FpClass::subnormal ? code & format.sign_mask() : code;
}

Bits select(const Format& format, Bits a, Bits b, bool larger, const MinMaxRule& rule,
            Flags* flags) {
  const Unpacked x = unpack(format, a);
  const Unpacked y = unpack(format, b);
  if (flags != nullptr) *flags = {.invalid = is_signalling(format, x) || is_signalling(format, y)};
  const bool both = is_nan(x) && is_nan(y);
  const bool either = is_nan(x) || is_nan(y);
  if (both || (rule.propagate_nan && either)) return nan_code(format, rule.nan);

  const Bits sign = (a ^ b) & format.sign_mask();
  if (rule.flush) {
    a = flushed(format, a);
    b = flushed(format, b);
  }
  if (rule.xorsign_abs) {
    a &= ~format.sign_mask();
    b &= ~format.sign_mask();
  }
  const bool take_a = either ? is_nan(y) : (order_of(format, a) > order_of(format, b)) == larger;
  const Bits chosen = take_a ? a : b;
  return rule.xorsign_abs ? chosen | sign : chosen;
}

}  // namespace

Bits min(const Format& format, Bits a, Bits b, const MinMaxRule& rule, Flags* flags) {
  return select(format, a, b, false, rule, flags);
}

Bits max(const Format& format, Bits a, Bits b, const MinMaxRule& rule, Flags* flags) {
  return select(format, a, b, true, rule, flags);
}

}  // namespace whybits
