// A tree over addends in a row, cut in two: many equal subtrees at equal distances, the lanes, and
// the tree over what they have. lanes(256, …) of a long row is elementwise adds of 256 words that
// lie side by side, and a tree over 256 sums: words need not be turned for it.
#pragma once

#include <memory>
#include <vector>

#include "sim/fast/region_plan.hpp"

namespace whybits::fast {

/// Evaluates as the whole tree does: evaluate(rest, what the lanes have).
struct DealtPlan {
  /// Lane first + i has leaf l + i·apart where lane `first` has leaf l. The plan of a lane numbers
  /// its leaves by where their words are, from word `begin` of the dealt words on.
  struct Group {
    std::uint64_t first = 0, count = 0, begin = 0;
    std::size_t plan = 0;
  };
  std::uint64_t addends = 0;
  std::uint64_t apart = 1;
  std::vector<Group> groups;  ///< ascending, without gaps
  std::vector<Plan> plans;    ///< of the first lane of a group
  Format format;              ///< of what a lane has
  RegionPlan rest;            ///< over one value a lane

  std::uint64_t lanes() const { return groups.back().first + groups.back().count; }
  /// Words as dealt: those with one remainder by `apart` side by side, so many for each.
  std::uint64_t words_apart() const { return (addends + apart - 1) / apart; }
  std::uint64_t place(std::uint64_t leaf) const {
    return leaf % apart * words_apart() + leaf / apart;
  }
  std::uint64_t most_in_group(std::size_t plan) const;  ///< of those that the plan is for
};

/// One topology for all outputs, as compile_one() has it, and cut in two where that takes fewer
/// steps than turning words. For leaves that are values, or products of two operands that every
/// output has for itself. O(lanes · distinct sizes of subtrees).
RegionPlan compile_dealt(const Reduction& reduction, const LeafTypes& types);

}  // namespace whybits::fast
