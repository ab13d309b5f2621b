// PTX's approximate functions of f32 words, bit for bit as an H200 computes them, for each of the
// 2^32 words: rcp.approx.f32 … cos.approx.f32, and with .ftz.
//
// Without .ftz the assembler (ptxas 13.0) wraps the unit's instruction (unit.hpp): arguments that
// the unit would flush are scaled by a power of two, and so are its results.
#pragma once

#include "sim/special/device_float.hpp"
#include "sim/special/unit.hpp"

namespace whybits::special {

std::uint32_t rcp(std::uint32_t x, Ftz ftz, unit::Trace* trace = nullptr);  ///< rcp.approx: 1/x
std::uint32_t rsqrt(std::uint32_t x, Ftz ftz,
                    unit::Trace* trace = nullptr);                           ///< rsqrt.approx: 1/√x
std::uint32_t sqrt(std::uint32_t x, Ftz ftz, unit::Trace* trace = nullptr);  ///< sqrt.approx: √x
std::uint32_t lg2(std::uint32_t x, Ftz ftz, unit::Trace* trace = nullptr);   ///< lg2.approx: log2 x
std::uint32_t ex2(std::uint32_t x, Ftz ftz, unit::Trace* trace = nullptr);   ///< ex2.approx: 2^x
std::uint32_t sin(std::uint32_t x, Ftz ftz,
                  unit::Trace* trace = nullptr);  ///< sin.approx: x in radians
std::uint32_t cos(std::uint32_t x, Ftz ftz,
                  unit::Trace* trace = nullptr);  ///< cos.approx: x in radians

std::uint32_t tanh(std::uint32_t x, unit::Trace* trace = nullptr);  ///< tanh.approx.f32 only

/// div.approx: x·(1/y); div.full takes large divisors down first, so that 1/y is no subnormal.
std::uint32_t div_approx(std::uint32_t x, std::uint32_t y, Ftz ftz);
std::uint32_t div_full(std::uint32_t x, std::uint32_t y, Ftz ftz);

/// x/2π as sin.approx and cos.approx give it to the unit, cut toward zero.
std::uint32_t turns(std::uint32_t radians, Ftz ftz);

}  // namespace whybits::special
