// The coefficients of an H200's special functions, as recovered from its outputs (tables.cpp).
#pragma once

#include <span>

#include "sim/special/interpolate.hpp"

namespace whybits::special::tables {

std::span<const Segment, 128> rcp();
std::span<const Segment, 128> rsqrt();
std::span<const Segment, 128> sqrt();
std::span<const Segment, 64> lg2();
std::span<const Segment, 64> ex2();
std::span<const Segment, 64> sin();

}  // namespace whybits::special::tables
