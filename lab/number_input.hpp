// Numbers as people type them: "0.1", "-1.5e-3", "0x1.8p3", a code "0x3C00", "inf", "nan". Parsed
// exactly; a value meets a format only later, in one rounding.
#pragma once

#include <gmpxx.h>

#include <string>
#include <string_view>

#include "sim/rounding.hpp"

namespace whybits {

struct NumberInput {
  enum class Kind : std::uint8_t { finite, infinity, nan, code };

  std::string text;  ///< as typed
  Kind kind = Kind::finite;
  bool negative = false;  ///< also of a zero
  mpq_class value;        ///< if finite, with its sign
  Bits code = 0;          ///< if a code
  int hex_digits = 0;     ///< how many were written, if a code
};

/// Errors: UsageError that quotes the text, says what a number looks like, or which limit it broke
/// (10,000 characters, exponents up to ±20,000).
NumberInput parse_number(std::string_view text);

/// The code of an input in a format, rounded once. A code is taken as it is: the format's storage
/// word, as memory and files hold it (tf32's is the f32 word).
/// Errors: UsageError for a word that is too wide, or has bits below a tf32 code.
Bits input_code(const NumberInput& input, const Format& format, const RoundRule& rule = {},
                RoundTrace* trace = nullptr);

}  // namespace whybits
