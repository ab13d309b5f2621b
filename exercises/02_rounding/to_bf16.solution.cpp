// Rounds an f32 to bf16: to nearest, ties to even.
#include <cstdint>

namespace learner {

/// The lower 16 bits are dropped. Adding 0x7FFF carries if they are more than half a place; the
/// last kept bit makes a tie carry where it would otherwise end odd. A carry may run into the
/// exponent: the next number is there, and behind the largest one infinity.
std::uint32_t to_bf16(std::uint32_t word) {
  const bool is_nan = (word & 0x7FFFFFFF) > 0x7F800000;
  if (is_nan) return 0x7FFF;
  const std::uint32_t last_kept = (word >> 16) & 1;
  return (word + 0x7FFF + last_kept) >> 16;
}

}  // namespace learner
