// f32 arithmetic as CUDA code has it, on the processor: round to nearest unless named otherwise,
// flushing with Ftz::yes, every NaN result 0x7FFFFFFF. Functions of words, because a NaN's word
// must arrive as it left. For building library functions (functions.hpp), not for whole matrices.
#pragma once

#include <cstdint>

namespace whybits::special {

/// The modifier .ftz of PTX, -ftz=true of nvcc: subnormals are zeros, in and out.
enum class Ftz : bool { no, yes };

/// Masks and words of f32.
namespace words {
inline constexpr std::uint32_t minus = 0x80000000;
inline constexpr std::uint32_t magnitude = 0x7fffffff;
inline constexpr std::uint32_t infinity = 0x7f800000;
inline constexpr std::uint32_t smallest_normal = 0x00800000;
inline constexpr std::uint32_t nan = 0x7fffffff;  ///< the only one that the hardware makes
}  // namespace words

std::uint32_t word(float value);
float value(std::uint32_t word);

std::uint32_t add(std::uint32_t a, std::uint32_t b, Ftz ftz);
std::uint32_t mul(std::uint32_t a, std::uint32_t b, Ftz ftz);
std::uint32_t fma(std::uint32_t a, std::uint32_t b, std::uint32_t c, Ftz ftz);
std::uint32_t mul_toward_zero(std::uint32_t a, std::uint32_t b, Ftz ftz);            ///< .rz
std::uint32_t fma_down(std::uint32_t a, std::uint32_t b, std::uint32_t c, Ftz ftz);  ///< .rm
std::uint32_t saturate(std::uint32_t x);  ///< to [+0, 1]; NaN is +0

}  // namespace whybits::special
