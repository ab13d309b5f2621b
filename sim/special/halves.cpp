#include "sim/special/halves.hpp"

#include "sim/arith.hpp"
#include "sim/special/unit.hpp"

namespace whybits::special {
namespace {

template <class F>
Bits through_f32(const Format& format, Bits x, const F& f) {
  const RoundRule cut{.rounding = Rounding::zero, .overflow = Overflow::infinity};
  const auto wide = static_cast<std::uint32_t>(convert(format, formats::f32, x));
  return convert(formats::f32, format, f(wide), cut);
}

}  // namespace

Bits ex2(const Format& format, Bits x) {
  return through_f32(format, x, [](std::uint32_t wide) { return unit::ex2(wide); });
}

Bits tanh(const Format& format, Bits x) {
  return through_f32(format, x, [](std::uint32_t wide) { return unit::tanh(wide); });
}

}  // namespace whybits::special
