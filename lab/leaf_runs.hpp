// Which leaves lie below a step, as runs of neighbours: what lanes add has holes, and "16 leaves
// between 4 and 775" says less than "4…7, 260…263, …, 772…775".
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/trace.hpp"

namespace whybits {

struct LeafRun {
  std::int64_t first = 0, last = 0;  ///< both included
  bool operator==(const LeafRun&) const = default;
};

/// Of the leaves among these origins and below the steps among them, ascending; leaves that come
/// twice count once. O(leaves · log leaves).
std::vector<LeafRun> leaf_runs(const Trace& trace, std::span<const Origin> origins);

/// "4…7, 260…263, …, 772…775": the first runs, so many, and the last; all if one more completes
/// them.
std::string runs_text(std::span<const LeafRun> runs,
                      const std::function<std::string(std::int64_t)>& number,
                      std::size_t first = 2);

/// Sets with holes of at most so many leaves are told run by run.
constexpr std::uint64_t most_told_leaves = 4096;
inline bool told_by_runs(const LeafSet& leaves) {
  return leaves.count > 1 && leaves.count <= most_told_leaves &&
         static_cast<std::uint64_t>(leaves.last - leaves.first) + 1 != leaves.count;
}

}  // namespace whybits
