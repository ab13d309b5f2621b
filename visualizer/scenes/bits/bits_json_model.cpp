// The state of the Bits scene as JSON and as a command line.
#include <fmt/format.h>

#include <algorithm>

#include "lab/option_values.hpp"
#include "lab/shell.hpp"
#include "lab/usage_error.hpp"
#include "visualizer/model/view_json.hpp"
#include "visualizer/scenes/bits/bits_model.hpp"

namespace whybits::viz {
namespace {

std::size_t read_operand_count(const JsonField& field) {
  try {
    return operands_of(operation_named(field.text()));
  } catch (const UsageError& error) {
    field.fail(error.what(), error.remedy);
  }
}

}  // namespace

nlohmann::ordered_json state_json(const BitsState& state) {
  nlohmann::ordered_json out{{"operation", state.operation},
                             {"format", state.format},
                             {"rounding", state.rounding},
                             {"operands", state.operands}};
  if (!state.result_format.empty()) out["result_format"] = state.result_format;
  if (state.selected != 0) out["selected"] = state.selected;
  if (state.bit) out["bit"] = *state.bit;
  return out;
}

BitsState read_bits_state(const JsonField& field) {
  field.allow_only(
      {"operation", "format", "result_format", "rounding", "operands", "selected", "bit"});
  BitsState state;
  const std::size_t count = read_operand_count(field.at("operation"));
  state.operation = field.at("operation").text();
  state.format = read_format(field.at("format"));
  if (const auto format = field.find("result_format")) {
    if (state.operation != "convert")
      format->fail("only convert has another format for its result");
    state.result_format = read_format(*format);
  }
  if (const auto rounding = field.find("rounding")) {
    state.rounding = read_short_text(*rounding, 32);
    try {
      static_cast<void>(rounding_option("rounding", state.rounding));
    } catch (const UsageError& error) {
      rounding->fail(error.what(), error.remedy);
    }
  }
  state.operands.clear();
  for (const JsonField& operand : field.at("operands").elements()) {
    if (state.operands.size() == count)
      field.at("operands")
          .fail(fmt::format("more than the {} that {} takes", count, state.operation));
    // As typed, maybe not to its end: the scene says what is wrong with it, as while typing.
    state.operands.push_back(read_short_text(operand, 512));
  }
  if (state.operands.size() != count)
    field.at("operands").fail(fmt::format("{} takes {}", state.operation, count));
  if (const auto selected = field.find("selected"))
    state.selected = static_cast<std::size_t>(selected->number(0, count - 1));
  if (const auto bit = field.find("bit")) state.bit = static_cast<int>(bit->number(0, 63));
  return state;
}

std::string command_line(const BitsState& state) {
  const bool one = state.operation == "none";
  std::string line = "whybits " + (one ? std::string("bits") : state.operation);
  for (const std::string& operand : state.operands) line += " " + shell_quoted(operand);
  line += " --format " + state.format;
  if (!state.result_format.empty()) line += " --to " + state.result_format;
  if (state.rounding != "nearest-even") line += " --rounding " + state.rounding;
  return line;
}

}  // namespace whybits::viz
