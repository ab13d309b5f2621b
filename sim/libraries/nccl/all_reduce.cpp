#include "sim/libraries/nccl/all_reduce.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "sim/builders/binary_tree.hpp"
#include "sim/plural.hpp"

namespace whybits::nccl {
namespace {

/// A fold over the ranks of a list from position `first` on, around its end.
SchemaPtr chain_from(const RankOrder& order, std::uint64_t first, const Unit& unit) {
  SchemaPtr fold = schema(Fold{unit});
  if (std::ranges::is_sorted(order))
    return first == 0 ? fold : schema(Rotate{first, std::move(fold)});
  RankOrder turned = order;
  std::rotate(turned.begin(), turned.begin() + static_cast<std::ptrdiff_t>(first), turned.end());
  return schema(Order{std::move(turned), std::move(fold)});
}

SchemaPtr chain_to_root(const RankOrder& order, const Unit& unit) {
  SchemaPtr fold = schema(Fold{unit});
  if (std::ranges::is_sorted(order)) return schema(Reverse{std::move(fold)});
  return schema(Order{{order.rbegin(), order.rend()}, std::move(fold)});
}

void append(TopologyMap& map, std::uint64_t begin, std::uint64_t end, const SchemaPtr& topology) {
  if (!map.regions.empty() && map.regions.back().topology == topology)
    map.regions.back().end = end;
  else
    map.regions.push_back({begin, end, topology});
}

/// Equal topologies are made once, so that neighbours can be merged.
class Chains {
 public:
  explicit Chains(const Unit& unit) : unit_(unit) {}
  const SchemaPtr& from(const RankOrder& order, std::uint64_t first) {
    SchemaPtr& made = rings_[{order, first}];
    if (!made) made = chain_from(order, first, unit_);
    return made;
  }
  const SchemaPtr& to_root(const RankOrder& order) {
    SchemaPtr& made = trees_[order];
    if (!made) made = chain_to_root(order, unit_);
    return made;
  }

  const SchemaPtr& over_nodes(std::uint64_t nodes, bool second) {
    SchemaPtr& made = node_trees_[second ? 1 : 0];
    if (!made) made = node_tree({nodes, 1, TreeLinks::balanced, second}, unit_);
    return made;
  }

 private:
  Unit unit_;
  std::map<std::pair<RankOrder, std::uint64_t>, SchemaPtr> rings_;
  std::map<RankOrder, SchemaPtr> trees_;
  std::array<SchemaPtr, 2> node_trees_;  ///< the first, the second
};

TopologyMap ring_map(const Request& request, const Machine& machine, const Choice& choice,
                     const Rules& rules, Chains& chains) {
  TopologyMap map;
  const Message message{request.count, request.type.word_bytes()};
  for (const Chunk& chunk : ring_chunks(message, choice, machine, request.settings, rules))
    append(map, chunk.begin, chunk.end,
           chains.from(machine.ring(chunk.channel),
                       (chunk.index + rules.start_after_owner) % machine.ranks));
  return map;
}

TopologyMap tree_map(const Request& request, const Machine& machine, const std::vector<Part>& parts,
                     const Rules& rules, Chains& chains) {
  TopologyMap map;
  const bool between_nodes = machine.nodes > 1;
  if (!between_nodes && std::ranges::all_of(machine.trees, [&](const RankOrder& t) {
        return t == machine.trees[0];
      })) {
    append(map, 0, request.count, chains.to_root(machine.trees[0]));
    return map;
  }
  if (rules.partition != Partition::cells)
    throw ConfigurationError("NCCL " + version_name(request.version) +
                             ": how a Tree deals elements to channels that differ is not known; "
                             "take Ring, or one channel (NCCL_MAX_NCHANNELS=1) from 2.22 on");
  for (const Part& part : parts)
    append(map, part.begin, part.end,
           between_nodes ? chains.over_nodes(machine.ranks,
                                             rules.double_tree && machine.second_tree(part.channel))
                         : chains.to_root(machine.tree(part.channel)));
  return map;
}

/// Registered buffers leave a channel of Simple to 16 blocks of threads at most.
bool capped_by_registration(const Request& request, const Choice& choice, const Rules& rules) {
  const Context& c = request.context;
  const bool registers = c.registered || (c.graph_capture && request.settings.graph_register);
  return rules.registration_caps_channels && registers && !c.in_place &&
         choice.protocol == Protocol::simple && choice.channels > 16 && choice.channels <= 24;
}

std::string explain(const Request& request, const Choice& choice, bool capped) {
  const auto one = [](const auto& enabled) {
    return std::count(enabled.begin(), enabled.end(), true) == 1;
  };
  const std::string algorithm = algorithm_names[static_cast<std::size_t>(choice.algorithm)];
  const std::string protocol = protocol_names[static_cast<std::size_t>(choice.protocol)];
  std::string text =
      algorithm + (one(request.settings.algorithm) ? " as set, " : " by the time model, ");
  text += protocol + (one(request.settings.protocol) ? " as set, " : " by the time model, ");
  text += counted_plainly(choice.channels, "channel");
  if (capped) text += " (16 at most: buffers are registered)";
  return text;
}

}  // namespace

Unit storage_add(const Format& type) {
  constexpr Format whole[] = {formats::f64, formats::f32, formats::f16, formats::bf16};
  if (std::ranges::find(whole, type) != std::end(whole)) return ieee_add(type);
  if (type == formats::e4m3 || type == formats::e5m2)
    return rounded_after(ieee_add(formats::f16), {type, {.overflow = Overflow::saturate}});
  throw ConfigurationError("type " + format_name(type) +
                           ": an all-reduce adds f64, f32, f16, bf16, e4m3 or e5m2");
}

Prediction predict_all_reduce(const Request& request) {
  return predict_all_reduce(request, rules_of(request.version));
}

Prediction predict_all_reduce(const Request& request, const Rules& rules) {
  constexpr std::uint64_t most_count = std::uint64_t{1} << 40;
  if (request.count > most_count)
    throw ConfigurationError("count", request.count, "more than 2^40 elements");
  const Unit unit = storage_add(request.type);
  if (request.type.word_bytes() == 1 && !rules.fp8)
    throw ConfigurationError("type " + format_name(request.type) +
                             ": NCCL adds fp8 from 2.24 on, not in " +
                             version_name(request.version));
  const Machine machine = limited(request.machine, request.settings);
  const Message message{request.count, request.type.word_bytes()};
  Prediction made;
  made.rules = &rules;
  made.choice = choose(message.bytes(), machine, request.settings, rules);
  const bool capped = capped_by_registration(request, made.choice, rules);
  if (capped) made.choice.channels = 16;
  made.rule = explain(request, made.choice, capped);
  if (rules.partition != Partition::interleaved)
    made.parts = channel_parts(message, made.choice, machine, rules);
  Chains chains(unit);
  if (request.count != 0)
    made.map = made.choice.algorithm == Algorithm::ring
                   ? ring_map(request, machine, made.choice, rules, chains)
                   : tree_map(request, machine, made.parts, rules, chains);
  return made;
}

}  // namespace whybits::nccl
