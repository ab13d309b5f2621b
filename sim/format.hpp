// Number formats as data.
//
// A format is four numbers: exponent bits, fraction bits, what the top codes mean, and how a
// code sits in a storage word. Every operation takes the format as a value; there is one
// implementation of rounding for all of them (round_pack.hpp).
//
// A *code* is sign | exponent | fraction, right-aligned in 64 bits. A *word* is what memory and
// files hold; the two differ only for tf32, whose 19-bit code lives in the top of an f32 word.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace whybits {

using Bits = std::uint64_t;
__extension__ using Uint128 = unsigned __int128;
__extension__ using Int128 = __int128;

/// What the codes with the largest exponent field mean.
enum class Specials : std::uint8_t {
  ieee,      ///< fraction 0 is infinity, the rest NaN (f64 f32 tf32 f16 bf16 e5m2, any eXmY)
  nan_only,  ///< only all-ones is NaN, the rest are finite, no infinity (OCP e4m3, e8m0)
  none       ///< every code is finite (OCP e3m2, e2m3, e2m1)
};

struct Format {
  int exponent_bits = 8;
  int fraction_bits = 23;
  Specials specials = Specials::ieee;
  bool is_signed = true;  ///< false: codes have no sign bit (e8m0)
  bool has_zero = true;   ///< false: field 0 is an exponent like any other, no zero, no subnormals

  constexpr bool operator==(const Format&) const = default;

  constexpr int precision() const { return fraction_bits + 1; }  ///< significand bits, p
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr int code_bits() const { return (is_signed ? 1 : 0) + exponent_bits + fraction_bits; }
  /// Exponents e of normal numbers 1.f · 2^e, inclusive at both ends.
  constexpr int min_exponent() const { return (has_zero ? 1 : 0) - bias(); }
  constexpr int max_exponent() const {
    // e8m0's NaN is all of its top binade.
    return bias() + (specials == Specials::ieee || fraction_bits == 0 ? 0 : 1);
  }
  /// Exponent of the smallest subnormal, 2^(min_exponent − fraction_bits).
  constexpr int quantum_exponent() const { return min_exponent() - fraction_bits; }

  constexpr Bits sign_mask() const { return Bits{is_signed} << (exponent_bits + fraction_bits); }
  constexpr Bits sign(bool negative) const { return negative ? sign_mask() : 0; }
  constexpr Bits magnitude_mask() const { return (Bits{1} << (exponent_bits + fraction_bits)) - 1; }
  constexpr Bits fraction_mask() const { return (Bits{1} << fraction_bits) - 1; }
  constexpr Bits exponent_field_max() const { return (Bits{1} << exponent_bits) - 1; }
  constexpr Bits code_mask() const { return sign_mask() | magnitude_mask(); }

  constexpr bool has_infinity() const { return specials == Specials::ieee; }
  constexpr bool has_nan() const { return specials != Specials::none; }
  /// Code of the largest finite number, of +infinity and of the quiet NaN that GPUs return
  /// (all ones below the sign: 0x7FFFFFFF, 0x7FFF, 0x7F). Precondition: the format has them.
  constexpr Bits max_finite() const {
    const Bits all = magnitude_mask();
    if (specials == Specials::none) return all;
    if (specials == Specials::nan_only) return all - 1;
    return (exponent_field_max() << fraction_bits) - 1;
  }
  constexpr Bits infinity() const { return exponent_field_max() << fraction_bits; }
  constexpr Bits gpu_nan() const { return magnitude_mask(); }
  /// The NaN that IEEE operations return by default: quiet bit only (0x7FC00000). For e4m3 0x7F.
  constexpr Bits ieee_nan() const {
    return specials == Specials::nan_only ? gpu_nan()
                                          : infinity() | (Bits{1} << (fraction_bits - 1));
  }

  /// Width of the storage word in memory and files: 8, 16, 32 or 64 bits.
  constexpr int word_bits() const {
    if (*this == Format{8, 10, Specials::ieee}) return 32;  // tf32 is stored as f32
    return code_bits() <= 8 ? 8 : code_bits() <= 16 ? 16 : code_bits() <= 32 ? 32 : 64;
  }
  constexpr std::size_t word_bytes() const { return static_cast<std::size_t>(word_bits()) / 8; }
  /// Zero bits below the code inside its word: 13 for tf32, else 0.
  constexpr int word_shift() const {
    return *this == Format{8, 10, Specials::ieee} ? 32 - code_bits() : 0;
  }
};

namespace formats {
inline constexpr Format f64{11, 52, Specials::ieee};
inline constexpr Format f32{8, 23, Specials::ieee};
inline constexpr Format tf32{8, 10, Specials::ieee};
inline constexpr Format f16{5, 10, Specials::ieee};
inline constexpr Format bf16{8, 7, Specials::ieee};
inline constexpr Format e5m2{5, 2, Specials::ieee};
inline constexpr Format e4m3{4, 3, Specials::nan_only};
inline constexpr Format e3m2{3, 2, Specials::none};
inline constexpr Format e2m3{2, 3, Specials::none};
inline constexpr Format e2m1{2, 1, Specials::none};
/// A power of two, 2^−127 to 2^127: the scale of an MX block (OCP MX 1.0, section 5.4.1).
inline constexpr Format e8m0{8, 0, Specials::nan_only, false, false};
/// Holds an element of up to 8 bits times an e8m0 or e4m3 scale exactly.
inline constexpr Format scaled{9, 8, Specials::ieee};
}  // namespace formats

/// The named formats in the order in which tables list them.
struct NamedFormat {
  std::string_view name;
  Format format;
};
const std::vector<NamedFormat>& named_formats();
/// Formats of scales: numbers are converted to them and multiplied by them, not added in them.
const std::vector<NamedFormat>& scale_formats();

/// "f32", "e4m3", …, or "eXmY" for a format without a name of its own.
std::string format_name(const Format& format);

/// A named format or IEEE-like `eXmY` with 2 ≤ X ≤ 11 and 1 ≤ Y ≤ 52 (e5m10 is f16, e4m3 the OCP
/// format). nullopt for anything else.
std::optional<Format> parse_format(std::string_view name);

/// True if every finite value of `from` is a value of `to` and its infinities and NaN have a
/// counterpart: the conversion is then exact and needs no rounding rule.
bool widens_exactly(const Format& from, const Format& to);

enum class FpClass : std::uint8_t { zero, subnormal, normal, infinity, nan };

/// A code taken apart: (−1)^negative · significand · 2^exponent for finite values.
/// Subnormals keep the exponent of the smallest normal, so significand < 2^fraction_bits.
/// A NaN's significand is its fraction field.
struct Unpacked {
  FpClass cls = FpClass::zero;
  bool negative = false;
  int exponent = 0;
  std::uint64_t significand = 0;

  bool finite() const { return cls < FpClass::infinity; }
};

constexpr Unpacked unpack(const Format& format, Bits code) {
  const bool negative = (code & format.sign_mask()) != 0;
  const Bits magnitude = code & format.magnitude_mask();
  const Bits fraction = magnitude & format.fraction_mask();
  const auto exponent_field = static_cast<int>(magnitude >> format.fraction_bits);
  if (magnitude > format.max_finite()) {
    const bool infinite = format.has_infinity() && fraction == 0;
    if (infinite) return {FpClass::infinity, negative, 0, 0};
    return {FpClass::nan, negative, 0, fraction};
  }
  const int quantum = format.quantum_exponent();
  if (exponent_field == 0 && format.has_zero)
    return {fraction == 0 ? FpClass::zero : FpClass::subnormal, negative, quantum, fraction};
  return {FpClass::normal, negative, exponent_field - (format.has_zero ? 1 : 0) + quantum,
          fraction | (Bits{1} << format.fraction_bits)};
}

/// Storage word of a code and back. `code_from_word` of a tf32 word drops the 13 low bits, as the
/// raw instructions do.
constexpr Bits word_from_code(const Format& f, Bits code) {
  return code << f.word_shift();
}
constexpr Bits code_from_word(const Format& f, Bits word) {
  return (word >> f.word_shift()) & f.code_mask();
}

}  // namespace whybits
