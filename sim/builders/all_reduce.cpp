#include "sim/builders/all_reduce.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "sim/arith.hpp"

namespace whybits {
namespace {

bool adds_only(AllReduce algorithm) {
  using enum AllReduce;
  constexpr AllReduce sums[] = {vllm, vllm_one_stage, vllm_two_stage, symmetric_one_shot,
                                symmetric_two_shot};
  return std::ranges::find(sums, algorithm) != std::end(sums);
}

bool accumulates_in_f32(AllReduce algorithm) {
  using enum AllReduce;
  constexpr AllReduce wide[] = {vllm, vllm_one_stage, vllm_two_stage, nvls};
  return std::ranges::find(wide, algorithm) != std::end(wide);
}

/// One add of partial results, and the rounding at the end where they are wider than the type.
struct Arithmetic {
  Unit unit;
  std::optional<Conversion> last;

  SchemaPtr finish(SchemaPtr topology) const {
    return last ? schema(RoundTo{std::move(topology), *last}) : topology;
  }
};

Arithmetic arithmetic_of(const AllReduceConfig& config) {
  const Format& type = config.type;
  const bool narrow = !widens_exactly(formats::f32, type);
  Format wide = accumulates_in_f32(config.algorithm) && narrow ? formats::f32 : type;
  if (config.accumulate) wide = *config.accumulate;
  if (!widens_exactly(type, wide))
    throw ConfigurationError("accumulator " + format_name(wide) +
                             ": must hold every value of the type " + format_name(type));
  const bool eight_bits = type.word_bytes() == 1;
  const Conversion back{type, {.overflow = eight_bits ? Overflow::saturate : Overflow::ieee}};
  if (!(wide == type)) return {ieee_add(wide), back};
  // Eight-bit values are added in f16 and rounded after every add.
  if (eight_bits) return {rounded_after(ieee_add(formats::f16), back), {}};
  return {ieee_add(type), {}};
}

TopologyMap one_region(SchemaPtr topology, std::uint64_t count) {
  if (count == 0) return {};
  return {{{0, count, std::move(topology)}}};
}

SchemaPtr rotated(std::uint64_t by, const SchemaPtr& topology) {
  return by == 0 ? topology : schema(Rotate{by, topology});
}

/// Blocks of count / ranks, the first count mod ranks one element longer.
TopologyMap ring_map(const AllReduceConfig& config, const Arithmetic& arithmetic) {
  const SchemaPtr chain = schema(Fold{arithmetic.unit});
  TopologyMap map;
  std::uint64_t begin = 0;
  for (std::uint64_t block = 0; block < config.ranks && begin < config.count; ++block) {
    const std::uint64_t longer = block < config.count % config.ranks ? 1 : 0;
    const std::uint64_t end = begin + config.count / config.ranks + longer;
    const std::uint64_t first = config.ring_starts_at_owner ? block : (block + 1) % config.ranks;
    if (end > begin) map.regions.push_back({begin, end, arithmetic.finish(rotated(first, chain))});
    begin = end;
  }
  return map;
}

TopologyMap double_tree_map(const AllReduceConfig& config, const Arithmetic& arithmetic) {
  TopologyMap map;
  const std::uint64_t half = (config.count + 1) / 2;
  NodeTree tree{config.ranks, config.ranks_per_node, config.links, false};
  if (half > 0)
    map.regions.push_back({0, half, arithmetic.finish(node_tree(tree, arithmetic.unit))});
  tree.second = true;
  if (half < config.count)
    map.regions.push_back(
        {half, config.count, arithmetic.finish(node_tree(tree, arithmetic.unit))});
  return map;
}

/// Ranks beyond a power of two: of the first 2·extra ranks two neighbours each are one.
SchemaPtr neighbours_first(std::uint64_t ranks, const Unit& unit) {
  const std::uint64_t power = std::bit_floor(ranks);
  SchemaPtr pairs = schema(Pairs{unit});
  if (power == ranks) return pairs;
  std::vector<std::uint64_t> borders;
  for (std::uint64_t i = 2; i < 2 * (ranks - power); i += 2) borders.push_back(i);
  for (std::uint64_t i = 2 * (ranks - power); i < ranks; ++i) borders.push_back(i);
  return schema(Cut{std::move(borders), pairs, pairs});
}

/// Owner r has packs [r·(packs/ranks), …), the last owner also what is left; a pack is 16 bytes.
TopologyMap vllm_two_stage_map(const AllReduceConfig& config, const Arithmetic& arithmetic) {
  constexpr std::uint64_t pack_bytes = 16;
  const std::uint64_t in_pack = pack_bytes / config.type.word_bytes();
  if (config.count % in_pack != 0)
    throw ConfigurationError(
        "count", config.count,
        "vLLM's kernel takes whole packs of 16 bytes, " + std::to_string(in_pack) + " elements");
  const std::uint64_t part = config.count / in_pack / config.ranks * in_pack;
  const SchemaPtr chain = schema(Fold{arithmetic.unit});
  TopologyMap map;
  for (std::uint64_t owner = 0; owner < config.ranks; ++owner) {
    const std::uint64_t end = owner + 1 == config.ranks ? config.count : (owner + 1) * part;
    if (end > owner * part)
      map.regions.push_back({owner * part, end, arithmetic.finish(rotated(owner, chain))});
  }
  return map;
}

/// Two, four and eight ranks start from the first value, other numbers from +0.
SchemaPtr symmetric_memory(std::uint64_t ranks, const Unit& unit) {
  const bool unrolled = ranks == 2 || ranks == 4 || ranks == 8;
  return schema(Fold{unit, unrolled ? Start::automatic : Start::zero});
}

AllReduce vllm_stage(const AllReduceConfig& config) {
  const std::uint64_t limit = vllm_two_stage_bytes(config.ranks);
  const std::uint64_t bytes = config.count * config.type.word_bytes();
  return limit == 0 || bytes < limit ? AllReduce::vllm_one_stage : AllReduce::vllm_two_stage;
}

void check(const AllReduceConfig& config) {
  constexpr std::uint64_t most_ranks = std::uint64_t{1} << 20;
  constexpr std::uint64_t most_count = std::uint64_t{1} << 40;
  if (config.ranks < 2 || config.ranks > most_ranks)
    throw ConfigurationError("ranks", config.ranks, "2 to 1048576");
  if (config.count > most_count)
    throw ConfigurationError("count", config.count, "at most 2^40 elements");
  if (config.ranks_per_node == 0 || config.ranks % config.ranks_per_node != 0)
    throw ConfigurationError("ranks_per_node", config.ranks_per_node,
                             "must divide the number of ranks");
  if (config.op != ReduceOp::sum && adds_only(config.algorithm))
    throw ConfigurationError("its kernel has sums only, no max and no min");
}

}  // namespace

std::uint64_t vllm_two_stage_bytes(std::uint64_t ranks) {
  constexpr std::uint64_t kib = 1024;
  if (ranks == 2) return 0;
  if (ranks == 4) return 512 * kib;
  if (ranks == 6 || ranks == 8) return 256 * kib;
  throw ConfigurationError("ranks", ranks, "vLLM's custom all-reduce has 2, 4, 6 or 8");
}

TopologyMap all_reduce_map(const AllReduceConfig& config) {
  check(config);
  const Arithmetic arithmetic = arithmetic_of(config);
  const Unit& unit = arithmetic.unit;
  const auto everywhere = [&](SchemaPtr topology) {
    return one_region(arithmetic.finish(std::move(topology)), config.count);
  };
  const SchemaPtr chain = schema(Fold{unit});
  switch (config.algorithm) {
    using enum AllReduce;
    case ring:
      return ring_map(config, arithmetic);
    case tree:
      return everywhere(node_tree({config.ranks, config.ranks_per_node, config.links}, unit));
    case double_tree:
      return double_tree_map(config, arithmetic);
    case recursive_doubling:
    case rabenseifner:
      return everywhere(neighbours_first(config.ranks, unit));
    case recursive_halving:
      return everywhere(schema(Halves{unit}));
    case direct:
      return everywhere(chain);
    case linear:
      return everywhere(schema(Reverse{chain}));
    case binomial:
      return everywhere(schema(Pairs{unit}));
    case hierarchical:
      return everywhere(schema(Slices{config.ranks_per_node, chain, chain}));
    case vllm: {
      AllReduceConfig staged = config;
      staged.algorithm = vllm_stage(config);
      return all_reduce_map(staged);
    }
    case vllm_one_stage:
      return everywhere(chain);
    case vllm_two_stage:
      return vllm_two_stage_map(config, arithmetic);
    case symmetric_one_shot:
    case symmetric_two_shot:
      return everywhere(symmetric_memory(config.ranks, unit));
    case nvls:
      return everywhere(schema(Any{unit}));
  }
  return {};
}

Recipe all_reduce_recipe(const TopologyMap& map, std::uint64_t ranks, const Format& type,
                         Average average) {
  Recipe recipe{{"x"}, {}, {"y"}};
  const Bits n =
      convert(formats::f64, formats::f32, std::bit_cast<Bits>(static_cast<double>(ranks)));
  if (average == Average::none) {
    recipe.steps.push_back({{"y"}, Reduce{.by = map, .along = Along::rows, .a = "x"}});
    return recipe;
  }
  // 1/n and n are formed in f32 and rounded to the type, as NCCL forms its scalar.
  const Bits one = convert(formats::f64, formats::f32, std::bit_cast<Bits>(1.0));
  const bool before = average == Average::pre;
  const Bits scalar = convert(formats::f32, type, before ? div(formats::f32, one, n) : n);
  recipe.steps.push_back({{"scalar"}, Constant{{type, scalar}}});
  if (before) {
    recipe.steps.push_back({{"scaled"}, Map{operations::mul(type), {"x", "scalar"}}});
    recipe.steps.push_back({{"y"}, Reduce{.by = map, .along = Along::rows, .a = "scaled"}});
  } else {
    recipe.steps.push_back({{"sum"}, Reduce{.by = map, .along = Along::rows, .a = "x"}});
    recipe.steps.push_back({{"y"}, Map{operations::div(type), {"sum", "scalar"}}});
  }
  return recipe;
}

}  // namespace whybits
