#include "lab/code_text.hpp"

#include <fmt/format.h>

namespace whybits {

std::string hex_code(const Format& format, Bits code) {
  return fmt::format("0x{:0{}X}", word_from_code(format, code), format.word_bits() / 4);
}

std::string field_text(const Format& format, Bits code) {
  const Bits exponent = (code >> format.fraction_bits) & format.exponent_field_max();
  return fmt::format("{} {:0{}b} {:0{}b}", (code & format.sign_mask()) != 0 ? 1 : 0, exponent,
                     format.exponent_bits, code & format.fraction_mask(), format.fraction_bits);
}

std::string signed_short(double value) {
  return fmt::format("{:+.2e}", value);
}
std::string signed_short(const Dyadic& value) {
  return signed_short(value.to_double());
}

}  // namespace whybits
