#include "exercises/judge_value.hpp"

#include <fmt/format.h>

#include "lab/number_view.hpp"
#include "sim/compare.hpp"

namespace whybits::course {

std::string without_grouping(std::string_view text) {
  constexpr std::string_view minus = "−", ignored = ", _";
  std::string plain;
  while (!text.empty()) {
    const bool is_minus = text.starts_with(minus);
    if (is_minus)
      plain += '-';
    else if (ignored.find(text[0]) == std::string_view::npos)
      plain += text[0];
    text.remove_prefix(is_minus ? minus.size() : 1);
  }
  return plain;
}

TypedValue read_typed_value(std::string_view text, const Format& format) {
  const NumberInput input = parse_number(without_grouping(text));
  const Bits code = input_code(input, format);
  const Unpacked value = unpack(format, code);
  if (input.kind == NumberInput::Kind::code) return {code, true, true};
  if (input.kind == NumberInput::Kind::nan) return {code, value.cls == FpClass::nan};
  if (input.kind == NumberInput::Kind::infinity) return {code, value.cls == FpClass::infinity};
  return {code, value.finite() && value_of(format, code) == input.value};
}

std::string code_line(const Format& format, Bits code) {
  const NumberView view = view_number(format, code);
  return fmt::format("{}  {} {} {}  {} = {}", view.code_text, view.sign_bits, view.exponent_bits,
                     view.fraction_bits, view.display, view.hex_float);
}

bool same_code(const Format& format, Bits a, Bits b) {
  const bool words = ((a | b) & ~format.code_mask()) == 0;
  return a == b ||
         (words && unpack(format, a).cls == FpClass::nan && unpack(format, b).cls == FpClass::nan);
}

}  // namespace whybits::course
