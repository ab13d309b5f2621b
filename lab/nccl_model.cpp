#include "lab/nccl_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "lab/json_field.hpp"
#include "sim/notation.hpp"
#include "sim/schema_edit.hpp"

namespace whybits {
namespace {

/// Accumulates in a wider format and rounds once: what NCCL's Ring and Tree do not do.
SchemaPtr with_wide_accumulator(const SchemaPtr& topology, const Format& type) {
  const Format wide = type == formats::f32 ? formats::f64 : formats::f32;
  const SchemaPtr inner = edit_units(topology, [&](const Unit&) { return ieee_add(wide); });
  return schema(RoundTo{inner, {type, {}}});
}

TopologyMap edited(TopologyMap map, const std::function<SchemaPtr(const SchemaPtr&)>& edit) {
  std::map<SchemaPtr, SchemaPtr> done;  // neighbours share their topologies
  for (MapRegion& region : map.regions) {
    SchemaPtr& made = done[region.topology];
    if (!made) made = edit(region.topology);
    region.topology = made;
  }
  return map;
}

bool same_regions(const TopologyMap& a, const TopologyMap& b) {
  return print(a) == print(b);
}

}  // namespace

std::variant<nccl::Request, std::string> nccl_request(const Recording& recording) {
  if (recording.library.name != "nccl")
    return fmt::format("there is no model of {} {} yet", recording.library.name,
                       recording.library.version);
  const auto capability = recording.source.find("compute_capability");
  if (capability == recording.source.end() || capability->second != "9.0")
    return std::string("NCCL's channels are known for compute capability 9.0 only");
  const JsonField settings(recording.settings, recording.name + ": settings");
  nccl::Request request;
  std::map<std::string, std::string> environment;
  const std::pair<std::string_view, bool*> flags[] = {
      {"in_place", &request.context.in_place},
      {"graph_capture", &request.context.graph_capture},
      {"registered", &request.context.registered}};
  for (const std::string& key : settings.keys()) {
    const JsonField field = settings.at(key);
    const auto flag = std::ranges::find(flags, key, &std::pair<std::string_view, bool*>::first);
    if (flag != std::end(flags)) {
      if (!field.value().is_boolean()) field.fail("must be true or false");
      *flag->second = field.value().get<bool>();
    } else {
      environment[key] = field.text();
    }
  }
  try {
    request.version = nccl::parse_version(recording.library.version);
    request.settings = nccl::read_settings(environment, request.version);
    const RecordedShape& shape = recording.shape;
    request.machine = nccl::hopper(
        shape.ranks, shape.ranks_per_node == 0 ? 1 : shape.ranks / shape.ranks_per_node);
    request.count = recording.shape.count;
    request.type = recording.types.a;
    nccl::predict_all_reduce(request);
  } catch (const ConfigurationError& error) {
    return std::string(error.what());
  }
  return request;
}

std::vector<MapControl> nccl_controls(const nccl::Request& request, const TopologyMap& map) {
  std::vector<MapControl> controls;
  const auto add = [&](std::string name, TopologyMap other) {
    if (!same_regions(map, other)) controls.push_back({std::move(name), std::move(other)});
  };
  const nccl::Rules& rules = nccl::rules_of(request.version);
  const auto by_rules = [&](std::string name, const nccl::Rules& other) {
    add(std::move(name), nccl::predict_all_reduce(request, other).map);
  };
  nccl::Rules other = rules;
  if (rules.partition == nccl::Partition::cells) {
    other.cells = nccl::rules_of({2, 22, 0}).cells;
    by_rules("cells of NCCL 2.22", other);
  }
  other = rules;
  other.last_chunk_rounds_to_16 = false;
  by_rules("last chunk not rounded to 16 bytes", other);
  other = rules;
  other.start_after_owner = 0;
  by_rules("chunk q starts at rank q", other);
  other = rules;
  other.double_tree = false;
  by_rules("the first tree for all channels", other);
  add("wider accumulator, rounded once", edited(map, [&](const SchemaPtr& topology) {
        return with_wide_accumulator(topology, request.type);
      }));
  const Unit unit = nccl::storage_add(request.type);
  add("ascending ranks", edited(map, [&](const SchemaPtr&) { return schema(Fold{unit}); }));
  add("pairs", edited(map, [&](const SchemaPtr&) { return schema(Pairs{unit}); }));
  return controls;
}

}  // namespace whybits
