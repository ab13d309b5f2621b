#include "lab/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>
#include <variant>

#include "lab/controls.hpp"
#include "lab/derive.hpp"
#include "lab/hash_xxh3.hpp"
#include "lab/memory_limit.hpp"
#include "lab/replay.hpp"
#include "lab/usage_error.hpp"
#include "lab/verify_all_reduce.hpp"
#include "sim/any_order.hpp"
#include "sim/arith.hpp"
#include "sim/notation.hpp"
#include "sim/reduction.hpp"

namespace whybits {
namespace {

using Topology = std::variant<SchemaPtr, TopologyMap>;

/// The topology, then its controls: what each predicts for every output.
struct Predictions {
  std::vector<Model> models;
  std::vector<std::vector<Bits>> codes;
};

Bits in_format(const Reduction& reduction, Bits code, const Format& out) {
  return reduction.result == out ? code : convert(reduction.result, out, code);
}

/// Where the order of additions is not defined, the prediction is a set: the recorded code if it is
/// a member, else the result of the index order.
Bits predict(const Reduction& reduction, const Leaves& leaves, const Format& out,
             std::optional<Bits> recorded) {
  const Bits in_index_order = in_format(reduction, evaluate(reduction, leaves), out);
  if (!recorded || in_index_order == *recorded || !has_any_order(reduction.tree))
    return in_index_order;
  for (const Bits code : possible_results(reduction, leaves))
    if (in_format(reduction, code, out) == *recorded) return *recorded;
  return in_index_order;
}

Topology parse_given(const Recording& recording) {
  try {
    Topology parsed = parse_notation(*recording.topology);
    if (std::holds_alternative<SchemaPtr>(parsed) ||
        recording.computation == RecordedComputation::gemm)
      return parsed;
  } catch (const NotationError& error) {
    throw UsageError(recording.name + ": topology:\n" + error.pointed(), "see docs/notation.md");
  }
  throw UsageError(recording.name + ": topology: a map describes an output tensor, not a " +
                   std::string(computation_names[static_cast<std::size_t>(recording.computation)]));
}

/// What a recording is checked against, or why it cannot be.
struct Source {
  Topology topology;
  OperandRounding operands;
  std::string rule;
  Basis basis = Basis::given;
};
std::variant<Source, std::string> topology_source(const Recording& recording, TopologyFrom from) {
  if (recording.topology && from == TopologyFrom::file)
    return Source{parse_given(recording), {}, {}};
  auto derived = derive_from_fields(recording);
  if (const auto* why = std::get_if<std::string>(&derived))
    return recording.topology ? *why : "the file gives no topology; " + *why;
  auto& model = std::get<DerivedTopology>(derived);
  return Source{std::move(model.topology), model.operands, std::move(model.rule),
                Basis::from_fields};
}

std::string printed(const Topology& topology) {
  if (const auto* map = std::get_if<TopologyMap>(&topology)) return print(*map);
  return print(*std::get<SchemaPtr>(topology));
}

/// Elements of the output, recorded or not.
std::uint64_t whole_output(const Recording& recording) {
  const RecordedShape& s = recording.shape;
  return recording.computation == RecordedComputation::mma ? s.tiles * s.m * s.n : s.m * s.n;
}

/// The wrong neighbours of a map: the same change in every region that has it.
std::vector<std::pair<std::string, Topology>> neighbours(const Topology& topology, std::uint64_t n,
                                                         bool has_c) {
  std::vector<std::pair<std::string, Topology>> found;
  if (const auto* one = std::get_if<SchemaPtr>(&topology)) {
    for (const Control& control : wrong_neighbours(*one, n, has_c))
      found.emplace_back(control.name, control.topology);
    return found;
  }
  const auto& map = std::get<TopologyMap>(topology);
  std::map<const Schema*, std::map<std::string, SchemaPtr>> changed;  // regions share schemas
  std::vector<std::string> names;
  for (const MapRegion& region : map.regions) {
    const auto [place, fresh] = changed.try_emplace(region.topology.get());
    if (!fresh) continue;
    for (const Control& control : wrong_neighbours(region.topology, n, has_c)) {
      if (std::ranges::find(names, control.name) == names.end()) names.push_back(control.name);
      place->second[control.name] = control.topology;
    }
  }
  for (const std::string& name : names) {
    TopologyMap other = map;
    for (MapRegion& region : other.regions) {
      const auto& own = changed[region.topology.get()];
      if (const auto one = own.find(name); one != own.end()) region.topology = one->second;
    }
    found.emplace_back(name, std::move(other));
  }
  return found;
}

/// A neighbour that cannot run on these operands is no control.
std::optional<Model> runnable(const Topology& topology, std::uint64_t n, const LeafTypes& types,
                              std::uint64_t elements) {
  try {
    return Model(topology, n, types, elements);
  } catch (const TopologyError&) {
    return std::nullopt;
  }
}

std::uint64_t count_wrong(const Recording& recording, const std::vector<Bits>& predicted,
                          Verification& result, bool remember) {
  const std::optional<VectorSource> recorded = recording.output_codes();
  const Format format = recorded ? recorded->format() : recording.types.out;
  if (!recorded) {
    const bool same =
        xxh3_128_hex(words_from_codes(format, predicted)) == recording.output.xxh3_128;
    return same ? 0 : predicted.size();
  }
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const Bits want = (*recorded)[i];
    if (remember && !unpack(format, want).finite()) ++result.not_finite;
    if (want == predicted[i]) continue;
    if (remember && wrong == 0) {
      result.first_wrong = i;
      result.first_wrong_place = output_place(recording, i);
      result.recorded = want;
      result.predicted = predicted[i];
    }
    ++wrong;
  }
  return wrong;
}

}  // namespace

std::string_view basis_name(Basis basis) {
  switch (basis) {
    case Basis::given:
      return "given";
    case Basis::from_fields:
      return "from fields";
    case Basis::from_configuration:
      break;
  }
  return "from configuration";
}

Verification verify(const Recording& recording, bool with_controls, const GemmOptions& options,
                    TopologyFrom from) {
  if (recording.computation == RecordedComputation::all_reduce)
    return verify_all_reduce(recording, with_controls, options, from);
  Verification result;
  result.file = recording.name;
  result.format = recording.types.out;
  const auto device = recording.source.find("device");
  if (device != recording.source.end()) result.device = device->second;
  const auto found = topology_source(recording, from);
  if (const auto* why = std::get_if<std::string>(&found)) {
    result.unsupported = *why;
    return result;
  }
  const auto& [topology, operands, rule, basis] = std::get<Source>(found);
  result.rule = rule;
  result.basis = basis;
  if (recording.output_elements() == 0)
    throw UsageError(recording.name + ": output: no elements, so that nothing can be compared",
                     "record at least one output");
  result.topology = printed(topology);
  result.hash_only = !recording.output.words.has_value();
  const LeafTypes types = leaf_types(recording, operands);
  const std::uint64_t k = recording.shape.k;
  const std::uint64_t elements = whole_output(recording);
  Predictions predictions;
  try {
    predictions.models.emplace_back(topology, k, types, elements);
  } catch (const TopologyError& error) {
    throw UsageError(recording.name + ": topology: " + error.what());
  } catch (const UsageError& error) {
    throw UsageError(recording.name + ": topology: " + error.what(), error.remedy);
  }
  const Format& out = recording.types.out;
  const Format given = predictions.models[0].result();
  if (!(given == out) && !widens_exactly(given, out))
    throw UsageError(fmt::format("{}: topology gives {}, but types.out is {}", recording.name,
                                 format_name(given), format_name(out)),
                     "write the last rounding, as in > " + format_name(out));
  const bool undefined = predictions.models[0].order_undefined();
  if (undefined && result.hash_only) {
    result.unsupported = "the order of additions is not defined, and the file keeps only a hash";
    return result;
  }
  if (with_controls)
    for (const auto& [name, neighbour] : neighbours(topology, k, types.c.has_value())) {
      std::optional<Model> model = runnable(neighbour, k, types, elements);
      if (!model) continue;
      predictions.models.push_back(std::move(*model));
      result.controls.push_back({name, printed(neighbour), 0});
    }
  require_memory(recording.name + ": replaying it",
                 replay_bytes(recording, predictions.models.size() + 1, options),
                 "record fewer rows, or a smaller shape");
  const std::size_t outputs = recording.output_elements();
  predictions.codes.assign(predictions.models.size(), std::vector<Bits>(outputs));
  const std::optional<VectorSource> recorded = recording.output_codes();
  std::atomic<std::uint64_t> moved_refused = 0;
  for_each_recorded_output(
      recording, options,
      [&](const ReplayedOutput& output) {
        const std::optional<Bits> seen =
            recorded ? std::optional<Bits>((*recorded)[output.index]) : std::nullopt;
        for (std::size_t r = 0; r < predictions.models.size(); ++r)
          predictions.codes[r][output.index] =
              predict(predictions.models[r].at(output.element), output.leaves, out, seen);
        // The set must also say no: the neighbouring number is mostly not in it.
        if (undefined && with_controls &&
            predict(predictions.models[0].at(output.element), output.leaves, out, *seen + 1) !=
                *seen + 1)
          ++moved_refused;
      },
      operands);

  result.compared = outputs;
  result.wrong = count_wrong(recording, predictions.codes[0], result, true);
  for (std::size_t r = 1; r < predictions.codes.size(); ++r)
    result.controls[r - 1].wrong = count_wrong(recording, predictions.codes[r], result, false);
  if (undefined && with_controls)
    result.controls.push_back({"outputs moved by one ulp", result.topology, moved_refused});
  return result;
}

}  // namespace whybits
