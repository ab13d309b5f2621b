// How each function's argument and terms lie in the interpolator. The tables are in tables.cpp.
//
// All but the square root's are those of the G80 (interpolate.hpp); the square root's, which that
// GPU had not, was found on an H200's outputs: of the shifts and borders tried it is the one under
// which every segment has integers (docs/special-functions.md).
#pragma once

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

}  // namespace whybits::special::datapaths
