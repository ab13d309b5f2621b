#include "exact/exact_path.hpp"

namespace whybits::exact {
namespace {

// Integers are decoded in units of half the smallest subnormal (one bit more an operand), and a sum
// of fewer than 2^16 terms is not worth its emptying.
constexpr int spare_bits = 16;

int decoded_bits(const Format& f) {
  return integer_bits(f) + 1;
}

bool fits(const std::optional<Format>& f, bool (*in)(const Format&)) {
  return !f || in(*f);
}

}  // namespace

std::string_view path_name(ExactPath path) {
  switch (path) {
    case ExactPath::fixed64:
      return "fixed64";
    case ExactPath::fixed128:
      return "fixed128";
    case ExactPath::bins:
      return "bins";
    case ExactPath::wide_bins:
      return "wide_bins";
    case ExactPath::limbs:
      break;
  }
  return "limbs";
}

ExactPath exact_path(const Format& a, const std::optional<Format>& b) {
  if (fits_integer(a) && fits(b, fits_integer)) {
    const int bits = decoded_bits(a) + (b ? decoded_bits(*b) : 1) + spare_bits;
    if (bits <= 63) return ExactPath::fixed64;
    if (bits <= 127) return ExactPath::fixed128;
  }
  const bool doubles = products_fit_double(a) && fits(b, products_fit_double);
  if (doubles) return ExactPath::bins;
  const auto is_double = [](const Format& f) {
    return f == formats::f64 || products_fit_double(f);
  };
  return is_double(a) && fits(b, is_double) ? ExactPath::wide_bins : ExactPath::limbs;
}

}  // namespace whybits::exact
