#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "sim/format.hpp"
#include "tests/support/property.hpp"

// The processor's own f32 numbers as the independent side of a comparison.
namespace whybits::test {

inline float to_float(Bits f32_code) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(f32_code));
}
inline Bits to_code(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

/// bf16 is the upper half of an f32.
inline float bf16_to_float(Bits code) {
  return to_float(code << 16);
}
/// To nearest, ties to even, in integers; for anything but NaN.
inline Bits float_to_bf16(float value) {
  const Bits code = to_code(value);
  return (code + 0x7fff + (code >> 16 & 1)) >> 16;
}

/// Uniform in [−1, 1), a multiple of 2^−23.
inline float uniform_float(Random& random) {
  return static_cast<float>(random.between(-(1 << 23), (1 << 23) - 1)) * 0x1p-23f;
}
/// The same times 2^−8 … 2^7.
inline float wide_float(Random& random) {
  const float value = uniform_float(random);
  return std::ldexp(value, static_cast<int>(random.below(16)) - 8);
}

template <class Draw>
std::vector<Bits> f32_codes(Random& random, std::size_t n, Draw draw) {
  std::vector<Bits> codes(n);
  for (Bits& code : codes) code = to_code(draw(random));
  return codes;
}
template <class Draw>
std::vector<Bits> bf16_codes(Random& random, std::size_t n, Draw draw) {
  std::vector<Bits> codes(n);
  for (Bits& code : codes) code = float_to_bf16(draw(random));
  return codes;
}

inline std::size_t differences(const std::vector<Bits>& a, const std::vector<Bits>& b) {
  std::size_t count = a.size() == b.size() ? 0 : a.size() + b.size();
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) count += a[i] == b[i] ? 0u : 1u;
  return count;
}

}  // namespace whybits::test
