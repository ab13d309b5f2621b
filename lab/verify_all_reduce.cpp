#include "lab/verify_all_reduce.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/controls.hpp"
#include "lab/hash_xxh3.hpp"
#include "lab/memory_limit.hpp"
#include "lab/nccl_model.hpp"
#include "lab/replay.hpp"
#include "lab/usage_error.hpp"
#include "sim/any_order.hpp"
#include "sim/ceil_div.hpp"
#include "sim/notation.hpp"
#include "sim/share_work.hpp"

namespace whybits {
namespace {

struct Expected {
  TopologyMap map;
  Basis basis = Basis::given;
  std::string rule;
  std::vector<MapControl> controls;
};

TopologyMap whole(SchemaPtr topology, std::uint64_t count) {
  return {{{0, count, std::move(topology)}}};
}

Expected given(const Recording& recording, bool with_controls) {
  const std::uint64_t ranks = recording.shape.ranks;
  const std::uint64_t count = recording.shape.count;
  Expected expected;
  try {
    auto parsed = parse_notation(*recording.topology);
    auto* const one = std::get_if<SchemaPtr>(&parsed);
    expected.map = one ? whole(*one, count) : std::get<TopologyMap>(parsed);
  } catch (const NotationError& error) {
    throw UsageError(recording.name + ": topology:\n" + error.pointed(), "see docs/notation.md");
  }
  if (!with_controls || expected.map.regions.size() != 1) return expected;
  for (const Control& control : wrong_neighbours(expected.map.regions[0].topology, ranks, false))
    expected.controls.push_back({control.name, whole(control.topology, count)});
  return expected;
}

/// The expected map, or why there is none.
std::variant<Expected, std::string> expect(const Recording& recording, bool with_controls,
                                           TopologyFrom from) {
  if (recording.topology && from == TopologyFrom::file) return given(recording, with_controls);
  auto request = nccl_request(recording);
  if (const auto* why = std::get_if<std::string>(&request))
    return recording.topology ? *why : "the file gives no topology; " + *why;
  const auto& known = std::get<nccl::Request>(request);
  nccl::Prediction prediction = nccl::predict_all_reduce(known);
  Expected expected{std::move(prediction.map), Basis::from_configuration, prediction.rule, {}};
  if (with_controls) expected.controls = nccl_controls(known, expected.map);
  return expected;
}

Model model_of(const Recording& recording, const TopologyMap& map, const LeafTypes& types) {
  try {
    Model model(map, recording.shape.ranks, types, recording.shape.count);
    if (model.result() == recording.types.out) return model;
    throw UsageError(fmt::format("{}: topology gives {}, but types.out is {}", recording.name,
                                 format_name(model.result()), format_name(recording.types.out)),
                     "write the last rounding, as in > " + format_name(recording.types.out));
  } catch (const TopologyError& error) {
    throw UsageError(recording.name + ": topology: " + error.what());
  }
}

/// One code an element for each model. Blocks of elements are dealt to threads.
std::vector<std::vector<Bits>> replay(const Recording& recording, const std::vector<Model>& models,
                                      const GemmOptions& options) {
  const std::uint64_t ranks = recording.shape.ranks;
  const std::uint64_t count = recording.shape.count;
  std::vector<std::unique_ptr<CodeSource>> inputs;
  for (const std::string& name : recording.operand_names()) inputs.push_back(recording.open(name));
  std::vector<std::vector<Bits>> codes(models.size(), std::vector<Bits>(count));
  constexpr std::uint64_t block = 1024;
  share_work(ceil_div(count, block), thread_count(options.threads), [&](std::uint64_t piece) {
    const std::uint64_t begin = piece * block;
    const std::uint64_t length = std::min(block, count - begin);
    std::vector<std::vector<Bits>> rows(ranks, std::vector<Bits>(length));
    for (std::uint64_t r = 0; r < ranks; ++r) inputs[r]->read(begin, 1, rows[r]);
    for (std::uint64_t i = 0; i < length; ++i) {
      std::vector<Bits> column(ranks);
      for (std::uint64_t r = 0; r < ranks; ++r) column[r] = rows[r][i];
      const OperandVector values(inputs[0]->format(), std::move(column));
      Leaves leaves;
      leaves.a = &values;
      for (std::size_t m = 0; m < models.size(); ++m)
        codes[m][begin + i] = evaluate(models[m].at(begin + i), leaves);
    }
  });
  return codes;
}

std::uint64_t count_wrong(const Recording& recording, const std::vector<Bits>& predicted,
                          Verification* remember) {
  const std::optional<VectorSource> recorded = recording.output_codes();
  if (!recorded) {
    const bool same =
        xxh3_128_hex(words_from_codes(recording.types.out, predicted)) == recording.output.xxh3_128;
    return same ? 0 : predicted.size();
  }
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const Bits want = (*recorded)[i];
    if (remember && !unpack(recording.types.out, want).finite()) ++remember->not_finite;
    if (want == predicted[i]) continue;
    if (remember && wrong == 0) {
      remember->first_wrong = i;
      remember->first_wrong_place = output_place(recording, i);
      remember->recorded = want;
      remember->predicted = predicted[i];
    }
    ++wrong;
  }
  return wrong;
}

}  // namespace

Verification verify_all_reduce(const Recording& recording, bool with_controls,
                               const GemmOptions& options, TopologyFrom from) {
  Verification result;
  result.file = recording.name;
  result.format = recording.types.out;
  if (const auto device = recording.source.find("device"); device != recording.source.end())
    result.device = device->second;
  if (recording.shape.count == 0)
    throw UsageError(recording.name + ": output: no elements, so that nothing can be compared",
                     "record at least one output");
  const auto found = expect(recording, with_controls, from);
  if (const auto* why = std::get_if<std::string>(&found)) {
    result.unsupported = *why;
    return result;
  }
  const auto& expected = std::get<Expected>(found);
  result.basis = expected.basis;
  result.rule = expected.rule;
  result.topology = print(expected.map);
  result.hash_only = !recording.output.words.has_value();
  require_memory(
      recording.name + ": replaying it",
      saturating_product(recording.shape.count, (expected.controls.size() + 2) * sizeof(Bits)),
      "record a smaller message");
  LeafTypes types;
  types.a = recording.open(recording.operand_names()[0])->format();
  std::vector<Model> models{model_of(recording, expected.map, types)};
  if (models[0].order_undefined()) {
    result.unsupported = "the order of additions is not defined: nothing is predicted";
    return result;
  }
  for (const MapControl& control : expected.controls) {
    models.push_back(model_of(recording, control.map, types));
    result.controls.push_back({control.name, print(control.map), 0});
  }
  const std::vector<std::vector<Bits>> codes = replay(recording, models, options);
  result.compared = recording.shape.count;
  result.wrong = count_wrong(recording, codes[0], &result);
  for (std::size_t i = 0; i < result.controls.size(); ++i)
    result.controls[i].wrong = count_wrong(recording, codes[i + 1], nullptr);
  return result;
}

}  // namespace whybits
