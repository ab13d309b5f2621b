// The state of the GEMM scene as JSON and as a command line.
#include <fmt/format.h>

#include "lab/option_values.hpp"
#include "lab/shell.hpp"
#include "lab/usage_error.hpp"
#include "visualizer/model/view_json.hpp"
#include "visualizer/scenes/gemm/gemm_model.hpp"

namespace whybits::viz {
namespace {

constexpr std::uint64_t most = std::uint64_t{1} << 28;

nlohmann::ordered_json choice_json(const GemmChoice& choice) {
  if (choice.by_batch) return {{"batch", choice.batch}};
  return {{"topology", choice.notation}};
}

GemmChoice read_choice(const JsonField& field, const GemmState& state) {
  field.allow_only({"batch", "topology"});
  const auto batch = field.find("batch");
  const auto topology = field.find("topology");
  if (batch.has_value() == topology.has_value()) field.fail("needs either a batch or a topology");
  if (topology) return {false, 1, read_topology(*topology)};
  const Layer* layer = find_layer(state.layer);
  if (!layer) batch->fail("without a layer there are no batches", "give a topology");
  return {true, batch->number(1, layer->last_batch()), ""};
}

void read_shape(const JsonField& field, GemmState& state) {
  state.n = field.at("n").number(1, most);
  state.k = field.at("k").number(0, most);
  const JsonField types = field.at("types");
  types.allow_only({"a", "b"});
  state.type_a = read_format(types.at("a"));
  state.type_b = read_format(types.at("b"));
  if (const auto leaf = field.find("leaf")) {
    state.leaf = read_short_text(*leaf, 64);
    try {
      static_cast<void>(leaf_option("leaf", state.leaf));
    } catch (const UsageError& error) {
      leaf->fail(error.what(), error.remedy);
    }
  }
}

}  // namespace

nlohmann::ordered_json state_json(const GemmState& state) {
  nlohmann::ordered_json out;
  if (!state.layer.empty()) out["layer"] = state.layer;
  out["m"] = state.m;
  if (state.layer.empty()) {
    out["n"] = state.n;
    out["k"] = state.k;
    out["types"] = {{"a", state.type_a}, {"b", state.type_b}};
    if (state.leaf != "product") out["leaf"] = state.leaf;
  }
  out["inputs"] = {{"a", state.input_a}, {"b", state.input_b}};
  out["a"] = choice_json(state.a);
  out["b"] = choice_json(state.b);
  out["view"] = view_json(state.view);
  return out;
}

GemmState read_gemm_state(const JsonField& field) {
  field.allow_only({"layer", "m", "n", "k", "types", "leaf", "inputs", "a", "b", "view"});
  GemmState state;
  state.layer.clear();
  if (const auto layer = field.find("layer")) {
    const Layer* known = find_layer(read_short_text(*layer, 128));
    if (!known) {
      std::string names;
      for (const Layer& l : layers()) names += (names.empty() ? "" : ", ") + l.name;
      layer->fail("'" + layer->text() + "' is not a known layer", "one of: " + names);
    }
    for (const char* key : {"n", "k", "types", "leaf"})
      if (const auto given = field.find(key)) given->fail("follows from the layer", "leave it out");
    state = with_layer(state, *known);
  } else {
    read_shape(field, state);
  }
  state.m = field.at("m").number(1, most);
  const JsonField inputs = field.at("inputs");
  inputs.allow_only({"a", "b"});
  state.input_a = read_input(inputs.at("a"));
  state.input_b = read_input(inputs.at("b"));
  state.a = read_choice(field.at("a"), state);
  state.b = read_choice(field.at("b"), state);
  state.view = {};
  if (const auto view = field.find("view")) state.view = read_view(*view);
  if (state.view.output && *state.view.output / state.n >= state.m)
    field.fail(fmt::format("view.output: there is no output {}", *state.view.output));
  return state;
}

std::string command_line(const GemmState& state, std::optional<std::uint64_t> output) {
  const std::string a = topology_of(state, Side::a);
  const std::string b = topology_of(state, Side::b);
  if (a.empty() || b.empty()) return "";
  std::string line = fmt::format("whybits gemm --m {} --n {} --k {}", state.m, state.n, state.k);
  if (state.type_a != "bf16") line += " --type " + state.type_a;
  if (state.type_b != state.type_a) line += " --type-b " + state.type_b;
  line += " --a " + shell_quoted(state.input_a) + " --b " + shell_quoted(state.input_b);
  if (state.leaf != "product") line += " --leaf " + shell_quoted(state.leaf);
  line += " --topology " + shell_quoted(a) + " --vs " + shell_quoted(b);
  const std::optional<std::uint64_t> chosen = state.view.output ? state.view.output : output;
  if (chosen) line += fmt::format(" --output {},{}", *chosen / state.n, *chosen % state.n);
  return line + step_argument(state.view);
}

}  // namespace whybits::viz
