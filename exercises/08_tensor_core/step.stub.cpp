// One step of Hopper's tensor core: f16 products, accumulator 0, an f32 result.
#include <algorithm>
#include <cmath>
#include <cstddef>
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
  double sum = 0;
  // TODO: find the largest exponent of the products, and cut each of them before it is added.
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  if (!std::isfinite(sum)) return static_cast<float>(sum);
  return cut(sum);
}

}  // namespace learner
