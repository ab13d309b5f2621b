// Maps: every output by the topology of its region, as the reference evaluator has it.
#include "sim/fast/kernels/kernels.hpp"
#include "sim/fast/turned.hpp"
#include "sim/notation.hpp"
#include "tests/fast/all_outputs.hpp"
#include "tests/support/random_outputs.hpp"

namespace whybits::test {
namespace {

/// Regions of random lengths, some topologies in several of them.
TopologyMap random_map(Random& random, const std::vector<SchemaPtr>& topologies,
                       std::uint64_t elements) {
  TopologyMap map;
  for (std::uint64_t begin = 0; begin < elements;) {
    const std::uint64_t most = random.below(3) == 0 ? elements : 1 + elements / 5;
    const std::uint64_t end = std::min(elements, begin + 1 + random.below(most));
    map.regions.push_back({begin, end, random.pick(topologies)});
    begin = end;
  }
  return map;
}

/// Ascending indices below `of`, `count` of them.
std::vector<std::uint64_t> some_of(Random& random, std::uint64_t count, std::uint64_t of) {
  std::vector<std::uint64_t> chosen;
  for (std::uint64_t i = 0; i < of; ++i)
    if (random.below(of - i) < count - chosen.size()) chosen.push_back(i);
  return chosen;
}

void check_map(const TopologyMap& map, const fast::LaneOperands& operands,
               const fast::OutputPlaces& places) {
  const LeafTypes types = operands.types();
  std::vector<Reduction> reductions;
  for (const MapRegion& region : map.regions)
    reductions.push_back(make_reduction(region.topology, operands.length, types));
  const fast::RegionPlan plan = fast::compile(map, reductions, types);
  CAPTURE(print(map), operands.rows, operands.columns);
  std::vector<Bits> expected;
  for (std::uint64_t r = 0; r < operands.rows; ++r)
    for (std::uint64_t c = 0; c < operands.columns; ++c) {
      const MapRegion* region = map.find(places.rows[r] * places.width + places.columns[c]);
      REQUIRE(region != nullptr);
      const auto number = static_cast<std::size_t>(region - map.regions.data());
      expected.push_back(evaluate(reductions[number], fast::OutputLeaves(operands, r, c).get()));
    }
  check_on_every_set(expected, operands.columns, [&](unsigned threads) {
    return fast::evaluate_turned(plan, operands, places, {.threads = threads});
  });
}

void check_family(Family family, int rounds) {
  for_all(rounds, [&](Random& random) {
    const RandomOperands operands = random_operands(random, family);
    std::vector<SchemaPtr> topologies;
    std::optional<Format> result;
    for (int i = 0; i < 3; ++i) {
      SchemaPtr topology = random_topology(random, operands, family);
      if (!takes(*topology, operands.leaves)) continue;
      const std::optional<Format> format = result_format(*topology);
      if (result && !(format == result)) continue;
      result = format;
      topologies.push_back(std::move(topology));
    }
    if (topologies.empty()) return;
    const OutputGrid grid{1 + random.below(6), 1 + random.below(90)};
    const fast::LaneOperands lanes = random_outputs(random, operands.leaves, grid);
    const std::uint64_t rows = lanes.rows + random.below(4);
    const std::uint64_t width = lanes.columns + random.below(20);
    check_map(random_map(random, topologies, rows * width), lanes,
              {some_of(random, lanes.rows, rows), some_of(random, lanes.columns, width), width});
  });
}

TEST_CASE("lanes follow a map: sums of values") {
  check_family(Family::values, 200);
}
TEST_CASE("lanes follow a map: fused multiply-adds") {
  check_family(Family::fma, 150);
}
TEST_CASE("lanes follow a map: units of the device table") {
  check_family(Family::table, 200);
}
TEST_CASE("lanes follow a map: rounded products") {
  check_family(Family::rounded, 150);
}

TEST_CASE("equal topologies of a map share a plan, whatever they are called") {
  const TopologyMap map{{{0, 3, parse_topology("slices(64, fold(sm90.mma.f16), chain)")},
                         {3, 5, parse_topology("fold(f32.fma)")},
                         {5, 9, parse_topology("fold(sm90.wgmma.f16)")}}};
  LeafTypes types;
  types.a = types.b.emplace(formats::f16);
  std::vector<Reduction> reductions;
  for (const MapRegion& region : map.regions)
    reductions.push_back(make_reduction(region.topology, 128, types));
  const fast::RegionPlan plan = fast::compile(map, reductions, types);
  CHECK(plan.plans.size() == 2);
  CHECK(plan.regions[0].plan == plan.regions[2].plan);
}

}  // namespace
}  // namespace whybits::test
