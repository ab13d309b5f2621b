#include "lab/number_view.hpp"

#include <algorithm>

#include "lab/code_text.hpp"
#include "lab/decimal.hpp"
#include "sim/compare.hpp"

namespace whybits {

namespace {

std::string binary(Bits value, int width) {
  std::string digits(static_cast<std::size_t>(width), '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, value >>= 1)
    if ((value & 1) != 0) *digit = '1';
  return digits;
}

const char* class_name(FpClass cls) {
  switch (cls) {
    case FpClass::zero:
      return "zero";
    case FpClass::subnormal:
      return "subnormal";
    case FpClass::normal:
      return "normal";
    case FpClass::infinity:
      return "infinity";
    case FpClass::nan:
      return "NaN";
  }
  return "";
}

std::optional<NeighbourView> neighbour(const Format& format, Bits code, bool upward) {
  const Bits next = upward ? next_up(format, code) : next_down(format, code);
  if (next == code) return std::nullopt;
  NeighbourView view;
  view.code = hex_code(format, next);
  view.shortest = shortest_decimal(format, next);
  view.display = display_decimal(format, next);
  if (unpack(format, code).finite() && unpack(format, next).finite()) {
    const Dyadic distance = Dyadic::from_code(format, next) - Dyadic::from_code(format, code);
    view.distance = distance.abs().to_decimal();
    view.distance_exponent = static_cast<int>(distance.exponent());
  }
  return view;
}

}  // namespace

std::string display_decimal(const Format& format, Bits code) {
  constexpr std::size_t most = 15;
  if (unpack(format, code).cls == FpClass::normal ||
      unpack(format, code).cls == FpClass::subnormal) {
    const std::string exact = Dyadic::from_code(format, code).to_decimal();
    if (exact.size() <= most) return exact;
  }
  return shortest_decimal(format, code);
}

mpq_class value_of(const Format& format, Bits code) {
  return to_rational(Dyadic::from_code(format, code));
}

mpq_class power_of_two(int exponent) {
  return to_rational(Dyadic(1, exponent));
}

NumberView view_number(const Format& format, Bits code) {
  const Unpacked unpacked = unpack(format, code);
  NumberView view;
  view.format = format;
  view.code = code;
  view.format_name = format_name(format);
  view.code_text = hex_code(format, code);
  view.sign_bits = !format.is_signed ? "" : unpacked.negative ? "1" : "0";
  view.exponent_bits = binary(code >> format.fraction_bits, format.exponent_bits);
  view.fraction_bits = binary(code, format.fraction_bits);
  view.cls = unpacked.cls;
  view.class_name = class_name(unpacked.cls);
  view.shortest = shortest_decimal(format, code);
  view.display = display_decimal(format, code);
  view.hex_float = hex_float(format, code);
  if (view.finite()) {
    view.ulp_exponent = unpacked.exponent;
    view.exponent = unpacked.exponent + format.fraction_bits;
    view.ulp = *exact_decimal(power_of_two(unpacked.exponent));
    view.exact = *exact_decimal(value_of(format, code));
  }
  if (unpacked.cls != FpClass::nan) {
    view.below = neighbour(format, code, false);
    view.above = neighbour(format, code, true);
  }
  return view;
}

InputNumber view_input(const NumberInput& input, const Format& format, const RoundRule& rule) {
  RoundTrace trace;
  const Bits code = input_code(input, format, rule, &trace);
  InputNumber result;
  result.number = view_number(format, code);
  InputView& view = result.input;
  view.text = input.text;
  constexpr std::size_t most = 24;
  view.label = input.text.size() <= most ? input.text : input.text.substr(0, most - 1) + "…";
  view.rounded = trace.flags.inexact;
  view.rounding = rule.rounding;
  view.tie = trace.guard && !trace.round && !trace.sticky;
  view.flags = trace.flags;
  const FpClass cls = result.number.cls;
  view.replaced = (input.kind == NumberInput::Kind::infinity && cls != FpClass::infinity) ||
                  (input.kind == NumberInput::Kind::nan && cls != FpClass::nan);
  if (input.kind == NumberInput::Kind::finite && result.number.finite()) {
    const mpq_class error = value_of(format, code) - input.value;
    view.error = *exact_decimal(error);
    view.error_short = short_decimal(error, 4);
    view.error_ulp = short_decimal(error / power_of_two(result.number.ulp_exponent), 4);
  }
  return result;
}

}  // namespace whybits
