// CUDA's functions of f32 that are built on the special-function unit, as nvcc compiles them.
//
// Source: the machine code that nvcc 13.0.88 makes for compute capability 9.0, read and then proven
// on every argument of an H200 (docs/special-functions.md). Code built by another compiler can have
// other steps; where a second version is known it is a row of a table, as for logf.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "sim/special/device_float.hpp"

namespace whybits::special {

/// How nvcc was asked to compile.
enum class Mode : std::uint8_t {
  standard,  ///< nothing: IEEE subnormals, division and roots
  flush,     ///< -ftz=true
  fast       ///< -use_fast_math
};

/// log(1 + f) = f + f²·(c[0]·f^7 + … + c[7]), by fma from left to right.
struct LogPolynomial {
  std::string_view of;  ///< who compiled it
  std::array<float, 9> c;
  std::string_view evidence;
};
/// The first is that of logf's default.
std::span<const LogPolynomial> log_polynomials();

std::uint32_t expf(std::uint32_t x, Mode mode = Mode::standard);
std::uint32_t exp2f(std::uint32_t x, Mode mode = Mode::standard);
std::uint32_t exp10f(std::uint32_t x, Mode mode = Mode::standard);
std::uint32_t logf(std::uint32_t x, Mode mode = Mode::standard,
                   const LogPolynomial& polynomial = log_polynomials().front());
std::uint32_t log2f(std::uint32_t x, Mode mode = Mode::standard);
std::uint32_t log10f(std::uint32_t x, Mode mode = Mode::standard);
std::uint32_t sqrtf(std::uint32_t x, Mode mode = Mode::standard);
std::uint32_t rsqrtf(std::uint32_t x, Mode mode = Mode::standard);
std::uint32_t tanhf(std::uint32_t x, Mode mode = Mode::standard);
std::uint32_t reciprocal(std::uint32_t x, Mode mode = Mode::standard);               ///< 1.0f / x
std::uint32_t divide(std::uint32_t x, std::uint32_t y, Mode mode = Mode::standard);  ///< x / y

/// CUDA's intrinsics __expf, __logf, …
std::uint32_t fast_expf(std::uint32_t x, Mode mode = Mode::standard);
std::uint32_t fast_exp10f(std::uint32_t x, Mode mode = Mode::standard);
std::uint32_t fast_logf(std::uint32_t x, Mode mode = Mode::standard);
std::uint32_t fast_log2f(std::uint32_t x, Mode mode = Mode::standard);
std::uint32_t fast_log10f(std::uint32_t x, Mode mode = Mode::standard);
std::uint32_t fast_tanf(std::uint32_t x, Mode mode = Mode::standard);
std::uint32_t fast_divide(std::uint32_t x, std::uint32_t y, Mode mode = Mode::standard);
std::uint32_t fast_powf(std::uint32_t x, std::uint32_t y, Mode mode = Mode::standard);

}  // namespace whybits::special
