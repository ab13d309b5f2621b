#include "sim/special/instructions.hpp"

namespace whybits::special {
namespace {

using words::infinity;
using words::magnitude;
using words::smallest_normal;

bool tiny(std::uint32_t x) {
  return (x & magnitude) < smallest_normal;
}

/// 1/x would be subnormal.
bool huge(std::uint32_t x) {
  constexpr std::uint32_t largest = 0x7e800000;  // 2^126
  return (x & magnitude) > largest && (x & magnitude) <= infinity;
}

std::uint32_t scale(std::uint32_t x, float factor) {
  return mul(x, word(factor), Ftz::no);
}

}  // namespace

std::uint32_t rcp(std::uint32_t x, Ftz ftz, unit::Trace* trace) {
  if (ftz == Ftz::yes) return unit::rcp(x, trace);
  const float factor = tiny(x) ? 0x1p24F : huge(x) ? 0.25F : 1.0F;
  return scale(unit::rcp(scale(x, factor), trace), factor);
}

std::uint32_t rsqrt(std::uint32_t x, Ftz ftz, unit::Trace* trace) {
  if (ftz == Ftz::yes || !tiny(x)) return unit::rsqrt(x, trace);
  return scale(unit::rsqrt(scale(x, 0x1p24F), trace), 0x1p12F);
}

std::uint32_t sqrt(std::uint32_t x, Ftz ftz, unit::Trace* trace) {
  if (ftz == Ftz::yes || !tiny(x)) return unit::sqrt(x, trace);
  return scale(unit::sqrt(scale(x, 0x1p24F), trace), 0x1p-12F);
}

std::uint32_t lg2(std::uint32_t x, Ftz ftz, unit::Trace* trace) {
  if (ftz == Ftz::yes || !tiny(x)) return unit::lg2(x, trace);
  return add(unit::lg2(scale(x, 0x1p24F), trace), word(-24.0F), Ftz::no);
}

std::uint32_t ex2(std::uint32_t x, Ftz ftz, unit::Trace* trace) {
  if (ftz == Ftz::yes || !(value(x) < -126.0F)) return unit::ex2(x, trace);
  const std::uint32_t root = unit::ex2(scale(x, 0.5F), trace);
  return mul(root, root, Ftz::no);
}

std::uint32_t tanh(std::uint32_t x, unit::Trace* trace) {
  return unit::tanh(x, trace);
}

std::uint32_t div_approx(std::uint32_t x, std::uint32_t y, Ftz ftz) {
  const float factor = ftz == Ftz::no && tiny(y) ? 0x1p24F : 1.0F;
  return mul(mul(x, word(factor), ftz), unit::rcp(mul(y, word(factor), ftz)), ftz);
}

std::uint32_t div_full(std::uint32_t x, std::uint32_t y, Ftz ftz) {
  if (!huge(y)) return div_approx(x, y, ftz);
  return mul(mul(x, word(0.25F), ftz), unit::rcp(mul(y, word(0.25F), ftz)), ftz);
}

std::uint32_t turns(std::uint32_t radians, Ftz ftz) {
  return mul_toward_zero(radians, 0x3e22f983, ftz);
}

std::uint32_t sin(std::uint32_t x, Ftz ftz, unit::Trace* trace) {
  return unit::sin(turns(x, ftz), trace);
}

std::uint32_t cos(std::uint32_t x, Ftz ftz, unit::Trace* trace) {
  return unit::cos(turns(x, ftz), trace);
}

}  // namespace whybits::special
