#include "sim/compare.hpp"

#include "sim/operands.hpp"

namespace whybits {

namespace {

/// Raises invalid for the NaN that `signal` names; returns whether the two are ordered.
bool ordered(const Format& format, Bits a, Bits b, NanSignal signal, Flags* flags) {
  const Unpacked x = unpack(format, a);
  const Unpacked y = unpack(format, b);
  const bool nan = is_nan(x) || is_nan(y);
  if (flags != nullptr)
    *flags = {.invalid = signal == NanSignal::signalling
                             ? nan
                             : is_signalling(format, x) || is_signalling(format, y)};
  return !nan;
}

}  // namespace

Relation relation(const Format& format, Bits a, Bits b) {
  const Unpacked x = unpack(format, a);
  const Unpacked y = unpack(format, b);
  if (is_nan(x) || is_nan(y)) return Relation::unordered;
  if (x.cls == FpClass::zero && y.cls == FpClass::zero) return Relation::equal;
  const std::int64_t left = order_of(format, a);
  const std::int64_t right = order_of(format, b);
  return left < right ? Relation::less : left > right ? Relation::greater : Relation::equal;
}

bool equal(const Format& format, Bits a, Bits b, NanSignal signal, Flags* flags) {
  return ordered(format, a, b, signal, flags) && relation(format, a, b) == Relation::equal;
}

bool less(const Format& format, Bits a, Bits b, NanSignal signal, Flags* flags) {
  return ordered(format, a, b, signal, flags) && relation(format, a, b) == Relation::less;
}

bool less_equal(const Format& format, Bits a, Bits b, NanSignal signal, Flags* flags) {
  return ordered(format, a, b, signal, flags) && relation(format, a, b) != Relation::greater;
}

Bits next_up(const Format& format, Bits code) {
  const Unpacked value = unpack(format, code);
  if (is_nan(value)) return format.gpu_nan();
  if (value.cls == FpClass::zero) return 1;
  if (value.negative) return code - 1;  // toward zero; from the last number before it to −0
  const Bits last = format.has_infinity() ? format.infinity() : format.max_finite();
  return code == last ? last : code + 1;
}

Bits next_down(const Format& format, Bits code) {
  if (is_nan(unpack(format, code))) return format.gpu_nan();
  if (!format.is_signed) return code == 0 ? 0 : code - 1;
  return next_up(format, code ^ format.sign_mask()) ^ format.sign_mask();
}

int ulp_exponent(const Format& format, Bits code) {
  return unpack(format, code).exponent;
}

}  // namespace whybits
