// One step of Hopper's tensor core: f16 products, accumulator 0, an f32 result.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace learner {

/// The exponent of an f16 value that is not zero: not below -14, that of the smallest normal
/// number.
int exponent(float value) {
  return std::max(std::ilogb(value), -14);
}

/// An f32, cut toward zero.
float cut(double value) {
  const float nearest = static_cast<float>(value);
  const bool too_far = std::fabs(static_cast<double>(nearest)) > std::fabs(value);
  return too_far ? std::nextafter(nearest, 0.0F) : nearest;
}

/// a and b hold f16 values, at most 16 of them. A double holds their products exactly.
float step(std::span<const float> a, std::span<const float> b) {
  double plain = 0;  // infinity and NaN come out of a plain sum
  int largest = std::numeric_limits<int>::min();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double product = static_cast<double>(a[i]) * b[i];
    plain += product;
    if (std::isfinite(product) && product != 0)
      largest = std::max(largest, exponent(a[i]) + exponent(b[i]));
  }
  if (!std::isfinite(plain)) return static_cast<float>(plain);
  if (largest == std::numeric_limits<int>::min()) return 0;

  double sum = 0;  // in units of 2^(largest - 25): whole numbers, added exactly
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double product = static_cast<double>(a[i]) * b[i];
    sum += std::trunc(std::ldexp(product, 25 - largest));
  }
  return cut(std::ldexp(sum, largest - 25));
}

}  // namespace learner
