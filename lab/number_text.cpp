#include "lab/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/explain_rounding.hpp"
#include "lab/text_layout.hpp"

namespace whybits {

namespace {

constexpr std::size_t indent = 11;  // "  " and a label of nine

std::string line(std::string_view label, std::string_view text) {
  return fmt::format("  {:9}{}\n", label, text);
}

std::string continued(std::string_view text) {
  return std::string(indent, ' ').append(text) + '\n';
}

/// sign exponent fraction, told apart by spaces and, on a terminal, by colour.
std::string fields(const NumberView& number, bool colour) {
  if (number.fraction_bits.empty())
    return colour ? fmt::format("\x1b[32m{}\x1b[0m", number.exponent_bits) : number.exponent_bits;
  if (!colour)
    return fmt::format("{} {} {}", number.sign_bits, number.exponent_bits, number.fraction_bits);
  return fmt::format("\x1b[31m{}\x1b[0m \x1b[32m{}\x1b[0m \x1b[36m{}\x1b[0m", number.sign_bits,
                     number.exponent_bits, number.fraction_bits);
}

std::size_t fields_width(const NumberView& number) {
  return static_cast<std::size_t>(number.format.code_bits()) + 2;
}

/// "-1 = -0.5 ulp"; of a long error the first digits.
std::string error_text(const std::string& error, const std::string& error_short,
                       const std::string& error_ulp) {
  constexpr std::size_t most = 16;
  return error.size() <= most ? fmt::format("{} = {} ulp", error, error_ulp)
                              : fmt::format("≈ {} = {} ulp", error_short, error_ulp);
}

/// How the typed text became the number, or nothing if it is the number.
std::string input_note(const InputNumber& entry) {
  const InputView& input = entry.input;
  if (input.replaced) return fmt::format("{} has no {}", entry.number.format_name, input.text);
  if (!input.rounded) return "";
  if (input.flags.overflow && !entry.number.finite()) return "beyond the largest number";
  return fmt::format("{}error {}", input.tie ? "a tie, " : "",
                     error_text(input.error, input.error_short, input.error_ulp));
}

std::string field_meaning(const NumberView& number) {
  const int bias = number.format.bias();
  switch (number.cls) {
    case FpClass::normal:
      if (number.fraction_bits.empty())
        return fmt::format("2^({} - {}) = 2^{}", number.exponent + bias, bias, number.exponent);
      return fmt::format("1.f × 2^({} - {}) = 1.f × 2^{}", number.exponent + bias, bias,
                         number.exponent);
    case FpClass::subnormal:
      return fmt::format("0.f × 2^{}", number.exponent);
    default:
      return number.class_name;
  }
}

/// "2", or "2^-56" where the decimal is long.
std::string power_text(const std::string& decimal, int exponent) {
  constexpr std::size_t most = 17;
  return decimal.size() <= most ? decimal : fmt::format("2^{}", exponent);
}

std::string neighbour_lines(const NumberView& number) {
  const auto size = [](const std::optional<NeighbourView>& view) {
    return view ? view->display.size() : 0;
  };
  const std::size_t width = std::max(size(number.below), size(number.above));
  const auto row = [&](const NeighbourView& view, const char* direction) {
    if (view.distance.empty()) return fmt::format("{}  {}", view.code, view.display);
    return fmt::format("{}  {:<{}}  {} {}", view.code, view.display, width,
                       power_text(view.distance, view.distance_exponent), direction);
  };
  std::string text;
  if (number.below) text += line("below", row(*number.below, "lower"));
  if (number.above) text += line("above", row(*number.above, "higher"));
  return text;
}

}  // namespace

std::string number_block(const InputNumber& entry, bool colour) {
  const InputView& input = entry.input;
  const NumberView& number = entry.number;
  std::string text =
      input.rounded && input.text != number.display
          ? fmt::format("{} in {} is {}\n\n", input.label, number.format_name, number.display)
          : fmt::format("{} in {}\n\n", number.display, number.format_name);
  text += line("code", number.code_text);
  text += line("fields", fields(number, colour));
  text += continued(field_meaning(number));
  if (number.finite()) {
    text += line("value",
                 fmt::format("{} = {}, {}", number.shortest, number.hex_float, number.class_name));
    text += line("exact", wrap_digits(number.exact, indent));
    text += line("ulp", power_text(number.ulp, number.ulp_exponent));
  }
  text += neighbour_lines(number);

  const std::string note = input_note(entry);
  if (!note.empty()) {
    const std::string how =
        input.rounded ? fmt::format("{} rounded {}", input.label, rounding_phrase(input.rounding))
                      : input.label;
    text += line("input", wrap(fmt::format("{}: {}", how, note), indent));
  }
  if (!(input.flags == Flags{})) text += line("flags", flag_names(input.flags));
  return text;
}

std::string number_table(const std::vector<InputNumber>& entries, bool colour) {
  std::size_t width = 4, value_width = 0;
  for (const InputNumber& entry : entries) {
    width = std::max(width, entry.number.format_name.size());
    if (!input_note(entry).empty())
      value_width =
          std::max(value_width, entry.number.code_text.size() + 2 + entry.number.display.size());
  }
  std::string text;
  for (const InputNumber& entry : entries) {
    const NumberView& number = entry.number;
    const std::string value = number.code_text + "  " + number.display;
    const std::string note = input_note(entry);
    text += fmt::format("{:{}}  {}\n", number.format_name, width, fields(number, colour));
    text += note.empty() ? fmt::format("{:{}}  {}\n", "", width, value)
                         : fmt::format("{:{}}  {:{}}  {}\n", "", width, value, value_width, note);
  }
  return text;
}

namespace {

std::string operand_lines(const OperationView& view, bool colour) {
  // Fields beside the value where all fit, else below it.
  std::size_t value_width = 0, wide = 0;
  const auto measure = [&](const NumberView& number) {
    value_width = std::max(value_width, number.display.size());
    wide = std::max(wide, fields_width(number) + number.code_text.size() + 4);
  };
  for (const InputNumber& operand : view.operands) measure(operand.number);
  measure(view.result);
  const bool beside = indent + value_width + wide <= 80;

  std::size_t code_width = view.result.code_text.size();
  for (const InputNumber& operand : view.operands)
    code_width = std::max(code_width, operand.number.code_text.size());
  const auto row = [&](std::string_view label, const NumberView& number) {
    if (!beside)
      return line(label, fmt::format("{:{}}  {}", number.display, value_width, number.code_text)) +
             continued(fields(number, colour));
    return line(label, fmt::format("{:{}}  {:{}}  {}", number.display, value_width,
                                   number.code_text, code_width, fields(number, colour)));
  };

  std::string text;
  constexpr std::string_view labels[] = {"a", "b", "c"};
  for (std::size_t i = 0; i < view.operands.size(); ++i) {
    const std::string note = input_note(view.operands[i]);
    text += row(labels[i], view.operands[i].number);
    if (!note.empty())
      text += continued(
          wrap(fmt::format("{} rounded: {}", view.operands[i].input.label, note), indent));
  }
  return text + row("result", view.result);
}

/// The exact result between its two neighbours, the way of the rounding drawn as an arrow.
std::string number_line(const RoundingStep& step, bool negative) {
  constexpr int inner_width = 55;
  const std::string& left = negative ? step.outer : step.inner;
  const std::string& right = negative ? step.inner : step.outer;
  const double along = negative ? 1 - step.position : step.position;
  const int exact =
      std::clamp(static_cast<int>(std::lround(along * (inner_width + 1))), 1, inner_width);
  const bool to_left = step.incremented == negative;

  std::string bar = "|" + std::string(inner_width, '-') + "|";
  const auto at = [](int position) { return static_cast<std::size_t>(position); };
  if (to_left) {
    std::fill(bar.begin() + 1, bar.begin() + exact, '=');
    bar[1] = '<';
  } else {
    std::fill(bar.begin() + exact + 1, bar.end() - 1, '=');
    bar[at(inner_width)] = '>';
  }
  if (exact != (inner_width + 1) / 2) bar[at((inner_width + 1) / 2)] = ':';
  bar[at(exact)] = 'x';

  const std::string labels =
      left + std::string(bar.size() - std::min(bar.size() - 1, left.size() + right.size()), ' ') +
      right;
  constexpr std::string_view caption = "exact";
  const int before = std::clamp(exact - 2, 0, inner_width + 2 - static_cast<int>(caption.size()));
  return continued(labels) + continued(bar) +
         continued(std::string(at(before), ' ').append(caption));
}

}  // namespace

std::string operation_text(const OperationView& view, bool colour) {
  const std::string formats =
      view.operation == Arithmetic::convert
          ? fmt::format("{} to {}", view.operands[0].number.format_name, view.result.format_name)
          : view.result.format_name;
  std::string title = fmt::format("{}: {} = {}", formats, view.expression, view.result.display);
  if (view.flags.inexact) title += fmt::format(", rounded {}", rounding_phrase(view.rounding));
  std::string text = wrap(title, 0) + "\n\n" + operand_lines(view, colour) + "\n";

  if (!view.exact.empty()) text += line("exact", view.exact_label);
  if (view.rounded) {
    const RoundingStep& step = view.step;
    text += line("kept", fmt::format("{} × 2^{}", step.kept, step.exponent));
    text += line("dropped", fmt::format("guard {:d}, round {:d}, sticky {:d}", step.guard,
                                        step.round, step.sticky));
    if (view.flags.inexact && !view.flags.overflow && !view.flags.invalid)
      text += "\n" + number_line(step, view.exact.front() == '-') + "\n";
  }
  if (view.flags.inexact && !view.error.empty())
    text += line("error", error_text(view.error_ends ? view.error : view.error + "…",
                                     view.error_short, view.error_ulp));
  text += line("flags", flag_names(view.flags)) + "\n";
  text += wrap(view.explanation, 0) + "\n";
  return text;
}

}  // namespace whybits
