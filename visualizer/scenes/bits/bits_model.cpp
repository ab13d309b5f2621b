#include "visualizer/scenes/bits/bits_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lab/code_text.hpp"
#include "lab/decimal.hpp"
#include "lab/option_values.hpp"
#include "lab/usage_error.hpp"
#include "sim/arith.hpp"

namespace whybits::viz {
namespace {

constexpr std::string_view no_operation = "none";

Format format_of(const BitsState& state) {
  return format_option("format", state.format);
}

/// Where the exact result lies between the two numbers around it.
void add_exact(NumberLine& line, const OperationView& view) {
  using What = NumberLinePoint::What;
  const auto result = std::find_if(line.points.begin(), line.points.end(),
                                   [](const auto& p) { return p.what == What::result_a; });
  const double at = result->at;
  const double outward = (view.result.code & view.result.format.sign_mask()) != 0 ? -1 : 1;
  const double direction = view.step.incremented ? -outward : outward;
  std::optional<double> neighbour;
  for (const NumberLinePoint& p : line.points)
    if (p.what == What::number && (p.at - at) * direction > 0 &&
        (!neighbour || (*neighbour - p.at) * direction > 0))
      neighbour = p.at;
  if (!neighbour) return;
  const double part = view.step.incremented ? 1 - view.step.position : view.step.position;
  line.points.push_back({What::exact, at + (*neighbour - at) * part, view.exact_label});
}

std::optional<NumberLine> result_line(const OperationView& view) {
  if (!view.result.finite()) return std::nullopt;
  std::optional<NumberLine> line = neighbour_line(view.result.format, view.result.code);
  if (line && view.rounded) add_exact(*line, view);
  return line;
}

/// What an operation adds up exactly before it rounds; nullopt of a quotient or a root.
std::optional<SumRows> rows_of(const OperationView& view) {
  SumRows rows;
  rows.format = view.operands[0].number.format;
  std::vector<Bits> codes;
  for (const InputNumber& operand : view.operands) {
    if (!operand.number.finite()) return std::nullopt;
    codes.push_back(operand.number.code);
  }
  switch (view.operation) {
    case Arithmetic::sub:
      codes[1] ^= rows.format.sign_mask();
      rows.values = codes;
      return rows;
    case Arithmetic::add:
    case Arithmetic::convert:
      rows.values = codes;
      return rows;
    case Arithmetic::mul:
      rows.products = {{codes[0], codes[1]}};
      return rows;
    case Arithmetic::fma:
      rows.products = {{codes[0], codes[1]}};
      rows.values = {codes[2]};
      return rows;
    case Arithmetic::div:
    case Arithmetic::sqrt:
      break;
  }
  return std::nullopt;
}

/// Nothing of a code of another width: it means nothing there.
std::optional<InputNumber> in_format(const NumberInput& input, const Format& format,
                                     const RoundRule& rule) {
  try {
    return view_input(input, format, rule);
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

BitsResult computed(const BitsState& state) {
  const std::optional<Arithmetic> operation = operation_named(state.operation);
  const Format format = format_of(state);
  const std::size_t wanted = operands_of(operation);
  if (state.operands.size() != wanted)
    throw UsageError("this takes " + std::to_string(wanted) + " numbers, not " +
                     std::to_string(state.operands.size()));
  BitsResult result;
  // A number meets its format by the rounding; operands of an operation to nearest even.
  RoundRule rule;
  if (!operation) rule.rounding = rounding_option("rounding", state.rounding);
  for (const std::string& text : state.operands) {
    result.operands.push_back(view_input(parse_number(text), format, rule));
    result.rows.push_back(code_row(format, result.operands.back().number.code));
  }
  const std::size_t selected = std::min(state.selected, wanted - 1);
  const NumberInput input = parse_number(state.operands[selected]);
  for (const NamedFormat& named : named_formats())
    if (auto there = in_format(input, named.format, rule))
      result.in_formats.push_back(*std::move(there));
  if (!operation) {
    const NumberView& number = result.operands[0].number;
    const bool typed = input.kind == NumberInput::Kind::finite && result.operands[0].input.rounded;
    result.line = neighbour_line(number.format, number.code,
                                 typed ? std::optional(input.value) : std::nullopt);
    result.places = place_values(number.format, number.code);
    return result;
  }
  OperationRequest request;
  request.operation = *operation;
  for (const std::string& text : state.operands) request.operands.push_back(parse_number(text));
  request.format = format;
  request.result_format =
      state.result_format.empty() ? format : format_option("result format", state.result_format);
  request.rule.rounding = rounding_option("rounding", state.rounding);
  result.operation = view_operation(request);
  result.result = code_row(result.operation->result.format, result.operation->result.code);
  result.line = result_line(*result.operation);
  if (const auto rows = rows_of(*result.operation); rows && result.operation->result.finite())
    result.aligned = view_operation_rows(*rows, {request.result_format, request.rule},
                                         result.operation->result.code);
  return result;
}

Bits selected_code(const BitsState& state, const Format& format) {
  return view_input(parse_number(state.operands.at(state.selected)), format).number.code;
}

BitsState with_code(BitsState state, const Format& format, Bits code) {
  state.operands.at(state.selected) = hex_code(format, code);
  return state;
}

}  // namespace

std::vector<PlaceValue> place_values(const Format& format, Bits code) {
  constexpr std::size_t digits = 28;
  std::vector<PlaceValue> places;
  if (!unpack(format, code).finite()) return places;
  const Dyadic value = Dyadic::from_code(format, code).abs();
  Dyadic sum;
  for (std::size_t bit = mpz_sizeinbase(value.mantissa().get_mpz_t(), 2); bit-- > 0;) {
    if (mpz_tstbit(value.mantissa().get_mpz_t(), bit) == 0) continue;
    const long exponent = value.exponent() + static_cast<long>(bit);
    const Dyadic power(1, exponent);
    sum += power;
    places.push_back({static_cast<int>(exponent), decimal_label(to_rational(power), digits),
                      decimal_label(to_rational(sum), digits)});
  }
  return places;
}

BitsResult compute(const BitsState& state) {
  try {
    return computed(state);
  } catch (const UsageError& error) {
    BitsResult result;
    result.error = error.what();
    result.remedy = error.remedy;
    return result;
  }
}

std::vector<std::string> operation_choices() {
  std::vector<std::string> names{std::string(no_operation)};
  for (const Arithmetic operation : all_arithmetic) names.emplace_back(operation_name(operation));
  return names;
}

std::optional<Arithmetic> operation_named(const std::string& name) {
  if (name == no_operation) return std::nullopt;
  for (const Arithmetic operation : all_arithmetic)
    if (operation_name(operation) == name) return operation;
  throw UsageError("'" + name.substr(0, 40) + "' is not an operation",
                   fmt::format("one of: {}", fmt::join(operation_choices(), ", ")));
}

std::size_t operands_of(const std::optional<Arithmetic>& operation) {
  return operation ? static_cast<std::size_t>(operand_count(*operation)) : 1;
}

BitsState change_operation(const BitsState& state, const std::string& operation) {
  const std::optional<Arithmetic> chosen = operation_named(operation);
  BitsState changed = state;
  changed.operation = operation;
  changed.operands.resize(operands_of(chosen), "1");
  changed.selected = std::min(state.selected, changed.operands.size() - 1);
  changed.result_format = chosen == Arithmetic::convert ? "bf16" : "";
  return changed;
}

BitsState flip_bit(const BitsState& state, int bit) {
  const Format format = format_of(state);
  return with_code(state, format, with_bit_flipped(format, selected_code(state, format), bit));
}

BitsState step_number(const BitsState& state, int direction) {
  const Format format = format_of(state);
  const NumberView number = view_number(format, selected_code(state, format));
  const auto& next = direction > 0 ? number.above : number.below;
  if (!next) return state;
  BitsState moved = state;
  moved.operands.at(state.selected) = next->code;
  return moved;
}

BitsState change_format(const BitsState& state, const std::string& name) {
  const Format from = format_of(state);
  const Format to = format_option("format", name);
  BitsState changed = state;
  changed.format = name;
  for (std::string& operand : changed.operands) {
    // What was typed as a number is typed again; a code keeps its value as far as it can.
    if (parse_number(operand).kind != NumberInput::Kind::code) continue;
    const Bits code = view_input(parse_number(operand), from).number.code;
    operand = shortest_decimal(to, convert(from, to, code));
  }
  return changed;
}

}  // namespace whybits::viz
