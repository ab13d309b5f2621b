// The coefficients of an H200's special functions, as recovered from its outputs (tables.cpp).
#pragma once

#include <array>

#include "sim/special/interpolate.hpp"

namespace whybits::special::tables {

extern const std::array<Segment, 128> rcp, rsqrt, sqrt;
extern const std::array<Segment, 64> lg2, ex2, sin;
extern const std::array<Segment, 51> tanh;

}  // namespace whybits::special::tables
