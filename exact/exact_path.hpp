// Which exact arithmetic carries a sum: chosen by the formats alone.
#pragma once

#include <optional>
#include <string_view>

#include "sim/format.hpp"

namespace whybits::exact {

enum class ExactPath : std::uint8_t {
  fixed64,    ///< every term is an integer in units of the smallest: one 64-bit integer (e4m3)
  fixed128,   ///< the same in 128 bits (f16, e5m2)
  bins,       ///< terms are exact in double; one integer for each exponent (f32, tf32, bf16)
  wide_bins,  ///< the same in 128 bits (f64, alone or with f32 and narrower)
  limbs       ///< term by term into the superaccumulator (between f32 and f64, and scales)
};
std::string_view path_name(ExactPath path);

/// Bits that the magnitude of a finite value needs as an integer multiple of the format's smallest
/// subnormal: 18 for e4m3, 32 for e5m2, 40 for f16.
constexpr int integer_bits(const Format& f) {
  const auto top_field = static_cast<int>(f.max_finite() >> f.fraction_bits);
  return f.precision() + (top_field > 0 ? top_field - 1 : 0);
}

/// Are products of two such values exact in double, with significands of at most 48 bits? True of
/// f32 and whatever widens to it.
constexpr bool products_fit_double(const Format& f) {
  const bool exponents = f.exponent_bits < 8 || (f.exponent_bits == 8 && f.has_infinity());
  return exponents && f.fraction_bits <= 23 && f.is_signed && f.has_zero;
}
/// Are values, in units of half the smallest subnormal, 64-bit integers?
constexpr bool fits_integer(const Format& f) {
  return products_fit_double(f) && f.exponent_bits < 8 && f.fraction_bits <= 22 &&
         integer_bits(f) < 62;
}

/// For products of two formats, or for plain values (b absent).
ExactPath exact_path(const Format& a, const std::optional<Format>& b);

}  // namespace whybits::exact
