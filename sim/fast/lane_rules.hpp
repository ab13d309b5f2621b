// Formats and roundings as numbers for vector kernels: how a word becomes a float lane and back,
// and how a lane is rounded.
//
// A lane holds the *value* of a code as a float or a double, which has it exactly. What a lane
// cannot say is which NaN a code was; see Plan::nan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/unit.hpp"

namespace whybits::fast {

/// What a lane is. Every format of a plan or a step fits into it.
enum class Lane : std::uint8_t { f32, f64 };
constexpr Format lane_format(Lane lane) {
  return lane == Lane::f32 ? formats::f32 : formats::f64;
}

/// Every finite value of the format, and its infinities, is one of f32 (f64).
bool fits_f32(const Format& format);
bool fits_f64(const Format& format);

/// Nearest even into all of a format, infinity where that overflows: the processor's own.
bool as_the_processor(const RoundRule& rule);

/// Word → f32: the magnitude is shifted under the f32 exponent and scaled. Precondition: fits_f32.
struct Decoding {
  int word_bytes = 4;
  std::uint32_t keep = ~0u;       ///< bits of the word that count (a tf32 unit drops 13 of f32)
  int word_shift = 0;             ///< zero bits below the code
  std::uint32_t magnitude = 0;    ///< mask of the code's magnitude
  int sign_up = 0;                ///< code's sign bit to bit 31
  int fraction_up = 0;            ///< 23 − fraction bits
  float scale = 1;                ///< 2^(127 − bias)
  std::uint32_t most_finite = 0;  ///< magnitudes above are infinity or NaN
  /// f32's exponents and its infinity: the code is the upper part of the f32 word.
  bool upper_part = false;
};
/// Of operands in `stored` that enter as `unit` (operand_enters).
Decoding decoding(const Format& stored, const Format& unit);

/// Value → code, the inverse.
Bits encode_f64(const Format& format, double value);
double decode_f64(const Format& format, Bits code);
/// f32 → word, the inverse of Decoding.
struct Encoding {
  std::size_t word_bytes = 4;
  float scale = 1;             ///< 2^(bias − 127): the format's subnormals become f32's
  int down = 0;                ///< f32's fraction to the code's
  int sign_down = 0;           ///< bit 31 to the code's sign
  int up = 0;                  ///< zero bits below the code
  std::uint32_t infinity = 0;  ///< its code
};
Encoding encoding(const Format& format);
/// Values of the format, and NaN, which gives any code, to storage words side by side.
void encode_values(const Format& format, const double* values, std::size_t count, std::byte* words);

/// Roundings of float lanes that need no detour through double.
enum class Shortcut : std::uint8_t {
  none,
  brain,  ///< f32's exponents and fewer fraction bits, nearest even: bf16, tf32, e8mY
  half    ///< f16, nearest even
};

/// round_pack on lanes: what a value given exactly, or rounded to odd in double, becomes.
struct Rounder {
  Rounding rounding = Rounding::nearest_even;
  int fraction_bits = 23;
  int min_exponent = -126;
  double max_finite = 0, min_normal = 0;
  double overflow[2] = {}, infinity[2] = {};  ///< [negative]
  double nan = 0;
  double flush_below = 0;  ///< operands below are zeros of their sign; 0: none is flushed
  bool flush_result = false;
  Shortcut shortcut = Shortcut::none;
};
/// nullopt where lanes cannot do it: formats without zero or sign or too wide for double's spare
/// bits, and stochastic rounding, which may ask for more of them. `from`: format of the operands,
/// whose subnormals may be flushed.
std::optional<Rounder> rounder(const Format& from, const Format& to, const RoundRule& rule);

}  // namespace whybits::fast
