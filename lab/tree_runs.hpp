// Gates of a launch rule: along a count (tokens, rows), where does the tree of a row change?
#pragma once

#include <functional>
#include <vector>

#include "sim/reduction.hpp"

namespace whybits {

/// Counts with one tree.
struct TreeRun {
  std::uint64_t first = 0, last = 0;
  Reduction reduction;
};

/// Runs of `first` … `last`, ascending, without gaps. `rule` gives the topology of a row of n
/// addends at a count; its errors pass. A tree is expanded only where the notation changes.
std::vector<TreeRun> tree_runs(std::uint64_t first, std::uint64_t last, std::uint64_t n,
                               const LeafTypes& types,
                               const std::function<SchemaPtr(std::uint64_t)>& rule);

/// "1–255", "256".
std::string run_text(const TreeRun& run);
/// Of the only run: that a row is added in one way for all these counts of `noun`s.
std::string one_way_text(const TreeRun& run, const std::string& noun);

}  // namespace whybits
