#include "visualizer/scenes/gemm/gemm_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "exact/exact_gemm.hpp"
#include "exact/leaf_sums.hpp"
#include "lab/inputs.hpp"
#include "lab/memory_limit.hpp"
#include "lab/option_values.hpp"
#include "lab/usage_error.hpp"
#include "sim/fast/evaluate.hpp"
#include "visualizer/model/pair_engine.hpp"
#include "visualizer/scenes/gemm/gemm_hardware.hpp"
#include "visualizer/scenes/gemm/gemm_outputs.hpp"

namespace whybits::viz {
namespace {

constexpr std::uint64_t most_operand_bytes = std::uint64_t{4} << 30;
constexpr std::uint64_t most_outputs = std::uint64_t{1} << 24;

/// What decides the operands.
using OperandKey = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::string, std::string,
                              std::string, std::string, std::string>;
OperandKey operand_key(const GemmState& s) {
  return {s.m, s.n, s.k, s.type_a, s.type_b, s.input_a, s.input_b, s.leaf};
}

std::unique_ptr<CodeSource> open(const std::string& name, const std::string& text,
                                 const Format& format, std::uint64_t rows, std::uint64_t columns) {
  try {
    return open_input(parse_input_spec(text), format, {rows * columns, {rows, columns}});
  } catch (const UsageError& error) {
    throw UsageError(name + ": " + error.what(), error.remedy);
  }
}

/// Operands in storage words, read once.
std::shared_ptr<const fast::LaneOperands> read_operands(const GemmState& s) {
  const Format type_a = format_option("type of A", s.type_a);
  const Format type_b = format_option("type of B", s.type_b);
  const ChosenOutputs chosen = ChosenOutputs::all({s.m, s.n, s.k});
  const auto a = open("A", s.input_a, type_a, s.m, s.k);
  const auto b = open("B", s.input_b, type_b, s.k, s.n);
  GemmOperands operands;
  operands.shape = {s.m, s.n, s.k};
  operands.a = a.get();
  operands.b = b.get();
  operands.product = leaf_option("leaf", s.leaf);
  require_memory("the operands", fast::lane_operand_bytes(operands, chosen),
                 "choose a smaller shape, or use whybits gemm with --rows and --columns",
                 most_operand_bytes);
  return std::make_shared<const fast::LaneOperands>(fast::lane_operands(operands, chosen));
}

}  // namespace

struct GemmModel::Cache {
  HardwareAnswers hardware;
  std::optional<OperandKey> key;
  PairEngine engine;

  void prepare(const GemmState& state) {
    if (key == operand_key(state)) return;
    key.reset();
    engine.start({});
    if (state.m > most_outputs / std::max<std::uint64_t>(state.n, 1))
      throw UsageError(fmt::format("{} × {} outputs are more than the {} that can be shown",
                                   state.m, state.n, most_outputs),
                       "use whybits gemm with --rows and --columns");
    engine.start(gemm_inputs(read_operands(state)));
    key = operand_key(state);
  }
};

GemmModel::GemmModel(std::filesystem::path recordings)
    : cache_(new Cache{HardwareAnswers(std::move(recordings)), {}, {}}) {}
GemmModel::~GemmModel() = default;

std::shared_ptr<const PairResult> GemmModel::compute(const GemmState& state,
                                                     const std::stop_token& stop,
                                                     const ReportProgress& progress) {
  const Layer* layer = find_layer(state.layer);
  for (const Side side : {Side::a, Side::b}) {
    const GemmChoice& choice = side == Side::a ? state.a : state.b;
    if (!topology_of(state, side).empty() || !choice.by_batch) continue;
    return error_result(
        UsageError(layer ? fmt::format("batch {}: what the library does there was not recorded",
                                       choice.batch)
                         : "without a layer there are no batches",
                   layer ? fmt::format("the nearest batch that was asked is {}",
                                       layer->nearest_known(choice.batch))
                         : "write a topology"),
        side);
  }
  try {
    cache_->prepare(state);
  } catch (const std::exception& error) {
    return error_result(error);
  }
  const std::string a = topology_of(state, Side::a);
  const std::string b = topology_of(state, Side::b);
  auto result = cache_->engine.compute(a, b, state.view, stop, progress);
  if (!result || !layer || !result->valid()) return result;
  auto with_recordings = std::make_shared<PairResult>(*result);
  for (const auto& [side, choice] : {std::pair(Side::a, state.a), std::pair(Side::b, state.b)})
    if (choice.by_batch && !layer->at(choice.batch).recording.empty())
      with_recordings->recordings.emplace_back(side, layer->at(choice.batch).recording);
  for (const Side side : {Side::a, Side::b})
    if (auto answer = cache_->hardware.find(state, *layer, side, *result->study))
      with_recordings->hardware.push_back(std::move(*answer));
  return with_recordings;
}

std::string topology_of(const GemmState& state, Side side) {
  const GemmChoice& choice = side == Side::a ? state.a : state.b;
  if (!choice.by_batch) return choice.notation;
  const Layer* layer = find_layer(state.layer);
  if (!layer || choice.batch > layer->last_batch()) return "";
  return layer->at(choice.batch).topology;
}

GemmState with_layer(GemmState state, const Layer& layer) {
  state.layer = layer.name;
  state.n = layer.n;
  state.k = layer.k;
  state.type_a = state.type_b = layer.type;
  state.leaf = "product";
  for (GemmChoice* choice : {&state.a, &state.b})
    *choice = {true, layer.nearest_known(std::max<std::uint64_t>(choice->batch, 1)), ""};
  state.view = {};
  state.view.level = Level::axis;
  return state;
}

}  // namespace whybits::viz
