// A code as text: hexadecimal word, fields in binary; its shortest decimal is in lab/decimal.hpp.
#pragma once

#include <string>

#include "lab/decimal.hpp"
#include "sim/dyadic.hpp"
#include "sim/format.hpp"

namespace whybits {

std::string hex_code(const Format& format, Bits code);    ///< "0xC13C", as wide as the word
std::string field_text(const Format& format, Bits code);  ///< "1 10000010 0111100"
/// A number for people, with a sign and three significant digits: "+1.42e-06".
std::string signed_short(double value);
std::string signed_short(const Dyadic& value);

}  // namespace whybits
