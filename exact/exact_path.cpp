#include "exact/exact_path.hpp"

namespace whybits::exact {
namespace {

// Integers are decoded in units of half the smallest subnormal (one bit more an operand), and a sum
// of fewer than 2^16 terms is not worth its emptying.
constexpr int spare_bits = 16;

int decoded_bits(const Format& f) {
  return integer_bits(f) + 1;
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
    case ExactPath::limbs:
      break;
  }
  return "limbs";
}

ExactPath exact_path(const Format& a, const std::optional<Format>& b) {
  const int bits_a = decoded_bits(a);
  const int bits_b = b ? decoded_bits(*b) : 1;
  if (bits_a < 63 && bits_b < 63) {  // operands fit 64 bits
    if (bits_a + bits_b + spare_bits <= 63) return ExactPath::fixed64;
    if (bits_a + bits_b + spare_bits <= 127) return ExactPath::fixed128;
  }
  const bool exact_doubles = products_fit_double(a) && (!b || products_fit_double(*b));
  return exact_doubles ? ExactPath::bins : ExactPath::limbs;
}

}  // namespace whybits::exact
