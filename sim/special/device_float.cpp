#include "sim/special/device_float.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace whybits::special {
namespace {

using words::minus;
using words::nan;
using words::smallest_normal;

std::uint32_t flush(std::uint32_t x, Ftz ftz) {
  return ftz == Ftz::yes && (x & ~minus) < smallest_normal ? x & minus : x;
}

std::uint32_t result(float x, Ftz ftz) {
  return std::isnan(x) ? nan : flush(word(x), ftz);
}

/// One step toward −∞ of a word that is not −∞.
float below(float x) {
  return std::nextafter(x, -std::numeric_limits<float>::infinity());
}

}  // namespace

std::uint32_t word(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
float value(std::uint32_t word) {
  return std::bit_cast<float>(word);
}

std::uint32_t add(std::uint32_t a, std::uint32_t b, Ftz ftz) {
  return result(value(flush(a, ftz)) + value(flush(b, ftz)), ftz);
}

std::uint32_t mul(std::uint32_t a, std::uint32_t b, Ftz ftz) {
  return result(value(flush(a, ftz)) * value(flush(b, ftz)), ftz);
}

std::uint32_t fma(std::uint32_t a, std::uint32_t b, std::uint32_t c, Ftz ftz) {
  return result(std::fma(value(flush(a, ftz)), value(flush(b, ftz)), value(flush(c, ftz))), ftz);
}

std::uint32_t mul_toward_zero(std::uint32_t a, std::uint32_t b, Ftz ftz) {
  const double exact = double{value(flush(a, ftz))} * double{value(flush(b, ftz))};
  const auto near = static_cast<float>(exact);
  if (std::isfinite(exact) && std::fabs(double{near}) > std::fabs(exact))
    return result(std::nextafter(near, 0.0F), ftz);
  return result(near, ftz);
}

std::uint32_t fma_down(std::uint32_t a, std::uint32_t b, std::uint32_t c, Ftz ftz) {
  const double x = value(flush(a, ftz));
  const double y = value(flush(b, ftz));
  const double z = value(flush(c, ftz));
  const double near = std::fma(x, y, z);  // two roundings to nearest, then each is put right
  auto rounded = static_cast<float>(near);
  if (!std::isfinite(near)) return result(rounded, ftz);
  if (double{rounded} > near || (double{rounded} == near && std::fma(x, y, z - near) < 0))
    rounded = below(rounded);
  return result(rounded, ftz);
}

std::uint32_t saturate(std::uint32_t x) {
  const float v = value(x);
  if (!(v > 0)) return 0;
  return v >= 1 ? word(1.0F) : x;
}

}  // namespace whybits::special
