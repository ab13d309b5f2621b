// What can be said about one code of one format: fields, value, neighbours. Pure data, made once;
// the command line's text and JSON and the visualizer draw from it.
#pragma once

#include <optional>
#include <string>

#include "lab/number_input.hpp"

namespace whybits {

struct NeighbourView {
  std::string code;           ///< "0x67FF"
  std::string shortest;       ///< "2047", "inf"
  std::string display;        ///< as NumberView's
  std::string distance;       ///< exact decimal, positive; empty next to an infinity
  int distance_exponent = 0;  ///< it is always a power of two
};

struct NumberView {
  Format format;
  Bits code = 0;
  std::string format_name;
  std::string code_text;                                ///< "0x6800"
  std::string sign_bits, exponent_bits, fraction_bits;  ///< binary digits
  FpClass cls = FpClass::zero;
  std::string class_name;  ///< "normal", "subnormal", "zero", "infinity", "NaN"
  int exponent = 0;        ///< of the leading place, 1.f · 2^exponent; for finite numbers
  std::string shortest;    ///< fewest digits that come back to this code: "0.1"
  std::string display;     ///< for a line of text: exact if that is short, else the shortest
  std::string hex_float;
  std::string exact;     ///< all decimal digits; empty for infinity and NaN
  int ulp_exponent = 0;  ///< the last place is 2^ulp_exponent; for finite numbers
  std::string ulp;       ///< exact decimal
  std::optional<NeighbourView> below, above;

  bool finite() const { return cls < FpClass::infinity; }
};
NumberView view_number(const Format& format, Bits code);

/// How an input became a code: by one rounding, or as it was.
struct InputView {
  std::string text;   ///< as typed
  std::string label;  ///< the same, cut to 24 characters
  bool rounded = false;
  Rounding rounding = Rounding::nearest_even;
  bool tie = false;
  Flags flags;
  bool replaced = false;    ///< an infinity or NaN that the format lacks
  std::string error;        ///< code's value − input, exact decimal; empty if not finite
  std::string error_short;  ///< up to 4 significant digits
  std::string error_ulp;    ///< in units in the last place, up to 4 digits
};

struct InputNumber {
  InputView input;
  NumberView number;
};
/// Errors: UsageError, as input_code.
InputNumber view_input(const NumberInput& input, const Format& format, const RoundRule& rule = {});

/// A code as one writes it in a sentence: all digits if there are at most 15 characters of them
/// (f16's 0.0999755859375), else the shortest decimal (f32's 0.1).
std::string display_decimal(const Format& format, Bits code);

/// Value of a finite code.
mpq_class value_of(const Format& format, Bits code);
mpq_class power_of_two(int exponent);

}  // namespace whybits
