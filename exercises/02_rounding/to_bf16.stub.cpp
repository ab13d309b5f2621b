// Rounds an f32 to bf16: to nearest, ties to even.
#include <cstdint>

namespace learner {

/// `word` is an f32: 1 bit of sign, 8 of exponent, 23 of fraction. Returns the word of a bf16: the
/// same sign and exponent, 7 bits of fraction.
std::uint32_t to_bf16(std::uint32_t word) {
  const bool is_nan = (word & 0x7FFFFFFF) > 0x7F800000;
  if (is_nan) return 0x7FFF;
  // TODO: this cuts the lower 16 bits off. Take the nearest bf16, and of two the even one.
  return word >> 16;
}

}  // namespace learner
