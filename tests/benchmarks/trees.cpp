// Building trees of 10^6 leaves, against one node a leaf in memory.
#include "sim/expand.hpp"
#include "sim/notation.hpp"
#include "tests/benchmarks/bench.hpp"

namespace whybits::bench {
namespace {

constexpr std::uint64_t leaves = 1'000'000;

double listed_rate(int runs) {
  return rate(runs, static_cast<double>(leaves), [] {
    std::vector<Node> nodes;
    for (std::uint64_t i = 0; i < leaves; ++i)
      nodes.push_back(Node::leaf(static_cast<std::int64_t>(i)));
    keep(nodes);
  });
}

}  // namespace

Results trees(int runs) {
  Results results;
  const double peer = listed_rate(runs);
  for (const char* topology : {"fold(f32)", "pairs(f32)", "slices(1408, fold(f32), fold(f32))",
                               "lanes(256, fold(f32), slices(32, pairs(f32), fold(f32)))"}) {
    const SchemaPtr schema = parse_topology(topology);
    constexpr int repeats = 10;
    const double own = rate(runs, static_cast<double>(leaves) * repeats, [&] {
      for (int i = 0; i < repeats; ++i) keep(expand(*schema, leaves));
    });
    const TreeStatistics statistics = expand(*schema, leaves).statistics();
    results.push_back({std::string("tree of ") + topology + ", 10^6", "leaf", own,
                       "a vector of leaf nodes", peer,
                       std::to_string(1e3 * static_cast<double>(leaves) / own) + " ms, " +
                           std::to_string(statistics.bytes) + " bytes"});
  }
  return results;
}

}  // namespace whybits::bench
