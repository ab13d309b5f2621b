// The state of the Sum scene as JSON and as a command line.
#include <fmt/format.h>

#include "lab/shell.hpp"
#include "visualizer/model/view_json.hpp"
#include "visualizer/scenes/sum/sum_model.hpp"

namespace whybits::viz {
namespace {

constexpr std::uint64_t most = std::uint64_t{1} << 26;

}  // namespace

nlohmann::ordered_json state_json(const SumState& state) {
  return {
      {"n", state.n}, {"rows", state.rows}, {"type", state.type},           {"input", state.input},
      {"a", state.a}, {"b", state.b},       {"view", view_json(state.view)}};
}

SumState read_sum_state(const JsonField& field) {
  field.allow_only({"n", "rows", "type", "input", "a", "b", "view"});
  SumState state;
  state.n = field.at("n").number(0, most);
  state.rows = field.at("rows").number(1, most);
  state.type = read_format(field.at("type"));
  state.input = read_input(field.at("input"));
  state.a = read_topology(field.at("a"));
  state.b = read_topology(field.at("b"));
  if (const auto view = field.find("view")) state.view = read_view(*view);
  if (state.view.output && *state.view.output >= state.rows)
    field.fail(fmt::format("view.output: there is no row {}", *state.view.output));
  return state;
}

std::string command_line(const SumState& state, std::optional<std::uint64_t> output) {
  std::string line = fmt::format("whybits sum --n {}", state.n);
  if (state.rows != 1) line += fmt::format(" --rows {}", state.rows);
  if (state.type != "f32") line += " --type " + state.type;
  line += " --input " + shell_quoted(state.input) + " --topology " + shell_quoted(state.a) +
          " --vs " + shell_quoted(state.b);
  const std::optional<std::uint64_t> chosen = state.view.output ? state.view.output : output;
  if (chosen) line += fmt::format(" --row {}", *chosen);
  return line + step_argument(state.view);
}

}  // namespace whybits::viz
