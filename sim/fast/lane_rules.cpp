#include "sim/fast/lane_rules.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include "sim/arith.hpp"

namespace whybits::fast {

bool fits_f32(const Format& format) {
  return format.is_signed && format.has_zero && format.exponent_bits <= 8 &&
         format.fraction_bits <= 23;
}

bool fits_f64(const Format& format) {
  return format.is_signed && format.has_zero && format.exponent_bits <= 11 &&
         format.fraction_bits <= 52;
}

bool as_the_processor(const RoundRule& rule) {
  return rule.rounding == Rounding::nearest_even && rule.flush == Flush::none &&
         rule.overflow != Overflow::saturate;
}

Decoding decoding(const Format& stored, const Format& unit) {
  Decoding d;
  d.word_bytes = static_cast<int>(stored.word_bytes());
  d.word_shift = stored.word_shift();
  if (stored == formats::f32 && unit == formats::tf32) d.keep = ~0u << 13;
  d.magnitude = static_cast<std::uint32_t>(stored.magnitude_mask());
  d.sign_up = 31 - (stored.exponent_bits + stored.fraction_bits);
  d.fraction_up = 23 - stored.fraction_bits;
  d.scale = std::ldexp(1.0f, 127 - stored.bias());
  d.most_finite = static_cast<std::uint32_t>(stored.max_finite());
  d.upper_part = stored.bias() == 127 && stored.exponent_bits == 8 && stored.has_infinity();
  return d;
}

double decode_f64(const Format& format, Bits code) {
  const Unpacked u = unpack(format, code);
  if (u.cls == FpClass::nan) return std::nan("");
  const double magnitude = u.cls == FpClass::infinity
                               ? HUGE_VAL
                               : std::ldexp(static_cast<double>(u.significand), u.exponent);
  return u.negative ? -magnitude : magnitude;
}

Bits encode_f64(const Format& format, double value) {
  return convert(formats::f64, format, std::bit_cast<Bits>(value));
}

Encoding encoding(const Format& format) {
  Encoding e;
  e.word_bytes = format.word_bytes();
  e.scale = std::ldexp(1.0f, format.bias() - 127);
  e.down = 23 - format.fraction_bits;
  e.sign_down = 31 - (format.exponent_bits + format.fraction_bits);
  e.up = format.word_shift();
  e.infinity = static_cast<std::uint32_t>(infinity_code(format, false, {}));
  return e;
}

void encode_values(const Format& format, const double* values, std::size_t count,
                   std::byte* words) {
  const std::size_t word_bytes = format.word_bytes();
  for (std::size_t i = 0; i < count; ++i) {
    const Bits word = word_from_code(format, encode_f64(format, values[i]));
    std::memcpy(words + i * word_bytes, &word, word_bytes);
  }
}

namespace {

Shortcut shortcut(const Format& to, const RoundRule& rule) {
  if (!as_the_processor(rule)) return Shortcut::none;
  if (to == formats::f16) return Shortcut::half;
  const bool brain = to.exponent_bits == 8 && to.fraction_bits < 23 && to.has_infinity();
  return brain ? Shortcut::brain : Shortcut::none;
}

}  // namespace

std::optional<Rounder> rounder(const Format& from, const Format& to, const RoundRule& rule) {
  // The quantum is built as a double, and sticky needs two bits below the significand.
  if (rule.rounding == Rounding::stochastic || !fits_f64(to) || to.fraction_bits > 50 ||
      to.min_exponent() - to.fraction_bits < -1022)
    return {};
  Rounder r;
  r.rounding = rule.rounding;
  r.shortcut = shortcut(to, rule);
  r.fraction_bits = to.fraction_bits;
  r.min_exponent = to.min_exponent();
  r.max_finite = decode_f64(to, to.max_finite());
  r.min_normal = std::ldexp(1.0, to.min_exponent());
  for (const bool negative : {false, true}) {
    r.overflow[negative] = decode_f64(to, overflow_code(to, negative, rule));
    r.infinity[negative] = decode_f64(to, infinity_code(to, negative, rule));
  }
  r.nan = decode_f64(to, nan_code(to, rule.nan));
  if (rule.flush == Flush::in || rule.flush == Flush::both)
    r.flush_below = std::ldexp(1.0, from.min_exponent());
  r.flush_result = rule.flush == Flush::out || rule.flush == Flush::both;
  return r;
}

}  // namespace whybits::fast
