// Roundings, and the one place through which every result leaves: round_pack.
//
// Exact work produces an Unrounded: sign, a significand of up to 128 bits, an exponent and a
// sticky bit that says "and a little more". round_pack turns it into a code of any format.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "sim/flags.hpp"
#include "sim/format.hpp"

namespace whybits {

enum class Rounding : std::uint8_t {
  nearest_even,
  nearest_away,  ///< ties away from zero (cvt.rna)
  zero,
  up,
  down,
  odd,        ///< inexact results get an odd last bit, so that a second rounding is innocent
  stochastic  ///< away from zero if the caller's random bits carry (cvt.rs)
};
/// Those that need nothing but the value.
inline constexpr std::array all_roundings = {Rounding::nearest_even, Rounding::nearest_away,
                                             Rounding::zero,         Rounding::up,
                                             Rounding::down,         Rounding::odd};
std::string_view rounding_name(Rounding);                       ///< "nearest-even", "zero", …
std::string_view rounding_suffix(Rounding);                     ///< "", ".rna", ".rz", ".ru", …
std::optional<Rounding> parse_rounding(std::string_view name);  ///< name or suffix without dot

/// What becomes of a result beyond the largest finite number.
enum class Overflow : std::uint8_t {
  ieee,      ///< infinity, or the largest finite where the rounding points inward
  infinity,  ///< always infinity: the matrix units' conversion, also when it truncates
  saturate   ///< the largest finite (cvt.satfinite); infinities saturate too, NaN stays NaN
};

/// Which NaN an operation returns.
enum class NanRule : std::uint8_t {
  gpu,   ///< the canonical all-ones NaN: payload and sign are lost
  ieee,  ///< quiet NaN with only the quiet bit set
  /// fma only, as f64 matrix instructions have it: of b, c, a the first that is NaN, made quiet; an
  /// invalid operation gives the quiet NaN with its sign set.
  operand
};

/// Subnormals replaced by zeros of their sign: in operands, in results.
enum class Flush : std::uint8_t { none, in, out, both };

/// When a nonzero result counts as tiny, which underflow asks: the exact one is below the smallest
/// normal number (ARM, IEEE decimal), or it still is after rounding to full precision as if
/// exponents had no lower end (x86).
enum class Tininess : std::uint8_t { before, after };

/// The caller's bits for one stochastic rounding. They are added to as many of the highest
/// discarded bits; a carry rounds away from zero. (PTX ISA, cvt.rs: 13 bits for f16, 16 for bf16
/// and for the 8- and 6-bit formats, 8 for e2m1.)
struct RandomBits {
  std::uint32_t value = 0;
  int count = 0;  ///< 0 to 32; none: toward zero

  constexpr bool operator==(const RandomBits&) const = default;
};

struct RoundRule {
  Rounding rounding = Rounding::nearest_even;
  Overflow overflow = Overflow::ieee;
  NanRule nan = NanRule::gpu;
  Flush flush = Flush::none;
  Tininess tininess = Tininess::before;
  RandomBits random = {};  ///< read by Rounding::stochastic only

  constexpr bool operator==(const RoundRule&) const = default;
};

/// ± (significand + ε) · 2^exponent with 0 < ε < 1 if sticky, else ε = 0.
/// A sticky Unrounded has its leading one at bit 64 or above, so that every format's guard bit is
/// still exact.
struct Unrounded {
  bool negative = false;
  bool sticky = false;
  int exponent = 0;
  Uint128 significand = 0;
};

/// What an operation saw and decided. If it rounded, `kept` is the truncated significand in units
/// of 2^ulp_exponent; guard is the first bit below it, round the second, sticky the rest.
struct RoundTrace {
  Uint128 kept = 0;
  int ulp_exponent = 0;
  bool guard = false;
  bool round = false;
  bool sticky = false;
  bool incremented = false;  ///< away from zero by one unit in the last place
  bool flushed = false;      ///< subnormal result replaced by zero
  Flags flags;
};

/// Rounds to `format`. Zero keeps its sign. Overflow in a format without infinity gives NaN
/// (e4m3) or, where there is no NaN either, the largest finite; stochastic rounding overflows to
/// infinity. A flushed result is inexact and an underflow. An unsigned format takes the magnitude,
/// of a negative number an invalid one; one without zero its smallest number for all below (e8m0,
/// as PTX cvt converts to ue8m0).
/// Errors: none. Complexity: O(1).
Bits round_pack(const Format& format, const Unrounded& value, const RoundRule& rule,
                RoundTrace* trace = nullptr);

/// The NaN, the infinity and the overflow result of a format under a rule. A format without
/// infinity has NaN in its place, with the sign; one without NaN has its largest finite number.
Bits nan_code(const Format& format, NanRule rule);
Bits infinity_code(const Format& format, bool negative, const RoundRule& rule);
Bits overflow_code(const Format& format, bool negative, const RoundRule& rule);

}  // namespace whybits
