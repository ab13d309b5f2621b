// A code as text: hexadecimal word, fields in binary, shortest decimal.
#pragma once

#include <string>

#include "sim/dyadic.hpp"
#include "sim/format.hpp"

namespace whybits {

std::string hex_code(const Format& format, Bits code);    ///< "0xC13C", as wide as the word
std::string field_text(const Format& format, Bits code);  ///< "1 10000010 0111100"
/// The shortest decimal that reads back as this code: "-11.75", "inf", "nan".
std::string shortest_decimal(const Format& format, Bits code);
/// A number for people, with a sign and three significant digits: "+1.42e-06".
std::string signed_short(double value);
std::string signed_short(const Dyadic& value);

}  // namespace whybits
