// The special-function unit of NVIDIA GPUs: its instructions MUFU.RCP … MUFU.TANH on f32 words, bit
// for bit as on an H200 for each of the 2^32 words.
//
// The unit reads subnormals as zeros and never gives one. NaN results are 0x7FFFFFFF. What programs
// call are mostly not these but PTX instructions built on them: instructions.hpp.
// Source: the tables are an H200's; special values as in envytools nvhw/sfu.c; all of it compared
// with digests of every word (docs/special-functions.md).
#pragma once

#include <cstdint>

#include "sim/special/interpolate.hpp"

namespace whybits::special::unit {

/// The way to a result.
struct Trace {
  std::uint32_t operand = 0, result = 0;  ///< of the unit
  Interpolation path{};                   ///< of no segments if the result needed none
  std::uint32_t argument = 0;             ///< reduced, as the interpolator takes it
  std::int64_t sum = 0;                   ///< before the last bits are dropped
};

std::uint32_t rcp(std::uint32_t x, Trace* trace = nullptr);      ///< 1/x
std::uint32_t rsqrt(std::uint32_t x, Trace* trace = nullptr);    ///< 1/√x
std::uint32_t sqrt(std::uint32_t x, Trace* trace = nullptr);     ///< √x
std::uint32_t lg2(std::uint32_t x, Trace* trace = nullptr);      ///< log2 x
std::uint32_t ex2(std::uint32_t x, Trace* trace = nullptr);      ///< 2^x
std::uint32_t sin(std::uint32_t turns, Trace* trace = nullptr);  ///< sin(2π·turns)
std::uint32_t cos(std::uint32_t turns, Trace* trace = nullptr);  ///< cos(2π·turns)
std::uint32_t tanh(std::uint32_t x,
                   Trace* trace = nullptr);  ///< keeps subnormals, unlike the others

}  // namespace whybits::special::unit
