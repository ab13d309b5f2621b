// How each function's argument and terms lie in the interpolator. The tables are in tables.cpp.
//
// All but those of the square root and of tanh are the G80's (interpolate.hpp). That GPU had
// neither; theirs were found on an H200's outputs: of the shifts and borders that were tried they
// are the ones under which every segment has integers (docs/special-functions.md).
#pragma once

#include <array>

#include "sim/special/interpolate.hpp"

namespace whybits::special::datapaths {

/// Fraction of 23 bits; 1/x of [1, 2) as 24 bits below 1.
inline constexpr Interpolation rcp{{}, 16, 13, 0, 1, 0x47e7, 15};
/// Lowest bit of the exponent, fraction; 1/√x of [1, 4) as 24 bits below 1.
inline constexpr Interpolation rsqrt{{}, 17, 14, 2, 0, 0x7fff, 16};
/// The same argument; √x of [1, 4) as 24 bits below 2. (T1 is even in the upper half.)
inline constexpr Interpolation sqrt{{}, 17, 15, 1, 0, 0x7fff, 17};
/// Fraction; log2 of [1, 2) in units of 2^-36.
inline constexpr Interpolation lg2{{}, 17, 12, 1, 0, 0x3345, 2};
/// Fraction of the fixed-point argument; 2^x of [0, 1) as 24 bits below 2.
inline constexpr Interpolation ex2{{}, 17, 13, 0, 0, 0x77e2, 15};
/// Part of a quarter turn in 23 bits; sin(π/2·x) of [0, 1) in units of 2^-37.
inline constexpr Interpolation sin{{}, 17, 11, 0, 0, 0, 0};

/// See tanh_argument(); tanh of it in units of 2^-39.
inline constexpr Interpolation tanh{{}, 17, 15, 0, 0, 0, 0};
inline constexpr std::uint32_t tanh_segments = 51;

/// tanh has more segments where it bends more: 1 to 16 in [2^e, 2^(e+1)), −8 ≤ e ≤ 2, one after
/// the other, and 17 bits of the fraction below those that choose one. x: exponent e and fraction
/// of 23 bits. Below 2^-8 tanh x is x, from 8 on it is 1.
constexpr std::uint32_t tanh_argument(int e, std::uint32_t fraction) {
  constexpr std::array<std::uint8_t, 11> index_bits{0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3};
  std::uint32_t segment = 0;
  for (int below = -8; below < e; ++below)
    segment += 1U << index_bits[static_cast<std::size_t>(below + 8)];
  const unsigned bits = index_bits[static_cast<std::size_t>(e + 8)];
  segment += fraction >> (23 - bits);
  const std::uint32_t low = fraction & ((1U << (23 - bits)) - 1);
  return segment << 17 | low >> (6 - bits);
}

}  // namespace whybits::special::datapaths
