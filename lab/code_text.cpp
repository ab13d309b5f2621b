#include "lab/code_text.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "sim/arith.hpp"

namespace whybits {

std::string hex_code(const Format& format, Bits code) {
  return fmt::format("0x{:0{}X}", word_from_code(format, code), format.word_bits() / 4);
}

std::string field_text(const Format& format, Bits code) {
  const Bits exponent = (code >> format.fraction_bits) & format.exponent_field_max();
  return fmt::format("{} {:0{}b} {:0{}b}", (code & format.sign_mask()) != 0 ? 1 : 0, exponent,
                     format.exponent_bits, code & format.fraction_mask(), format.fraction_bits);
}

std::string shortest_decimal(const Format& format, Bits code) {
  const Unpacked u = unpack(format, code);
  if (u.cls == FpClass::nan) return "nan";
  if (u.cls == FpClass::infinity) return u.negative ? "-inf" : "inf";
  if (u.cls == FpClass::zero) return u.negative ? "-0" : "0";
  const Dyadic exact = Dyadic::from_code(format, code);
  const double value = exact.to_double();
  constexpr int enough = 17;  // digits that always suffice, f64 included
  for (int digits = 1; digits < enough; ++digits) {
    const std::string text = fmt::format("{:.{}g}", value, digits);
    if (Dyadic::from_double(std::strtod(text.c_str(), nullptr)).round_to(format) == code)
      return text;
  }
  return fmt::format("{:.{}g}", value, enough);
}

std::string signed_short(double value) {
  return fmt::format("{:+.2e}", value);
}
std::string signed_short(const Dyadic& value) {
  return signed_short(value.to_double());
}

}  // namespace whybits
