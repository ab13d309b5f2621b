// A trace cut into ribbons: the K axis of a reduction.
//
// A ribbon is a maximal run of steps of one accumulator: a slice that adds leaf after leaf, or the
// chain of adds that merges slices. What it takes from other ribbons are joints. Every step of the
// trace is in exactly one ribbon.
//
// Ribbons are numbered in post-order, those that one ribbon takes by their first leaf: a ribbon and
// all below it are consecutive, and so are neighbours along K. Marks and amounts of any
// consecutive ribbons are differences of running totals, exact and O(1): a fold can always say
// what is inside it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/divergence.hpp"

namespace whybits {

/// How many steps have each mark (sim/divergence.hpp).
struct MarkCounts {
  std::uint64_t same = 0;            ///< same leaves, same bits
  std::uint64_t other = 0;           ///< same leaves, other bits
  std::uint64_t no_counterpart = 0;  ///< the other side never has the sum of just these leaves

  std::uint64_t total() const { return same + other + no_counterpart; }
  bool all_same() const { return other == 0 && no_counterpart == 0; }
  void add(Mark mark);
  MarkCounts& operator+=(const MarkCounts& counts);
  bool operator==(const MarkCounts&) const = default;
};

struct Ribbon {
  std::uint64_t begin = 0, end = 0;  ///< its steps: Ribbons::order[begin … end)
  std::uint32_t first_below = 0;     ///< ribbons first_below … itself are its subtree
  std::int32_t parent = -1;          ///< ribbon that takes its result, −1: it is the reduction's
  std::int64_t joins = -1;           ///< step of the parent that takes it
  std::uint32_t depth = 0;           ///< ribbons between it and the result
  bool takes_leaves = false;         ///< else it only merges and rounds
  bool overlapping = false;          ///< ribbons that it takes lie across one another (lanes)
  LeafSet leaves;                    ///< everything below its last step

  std::uint64_t steps() const { return end - begin; }
  /// Its leaves are neighbours: it covers [first, last] and nothing else lies between.
  bool contiguous() const {
    return leaves.count > 0 &&
           static_cast<std::uint64_t>(leaves.last - leaves.first) + 1 == leaves.count;
  }
};

struct Ribbons {
  std::vector<Ribbon> ribbons;           ///< the last one has the result
  std::vector<std::int64_t> order;       ///< steps, ribbon by ribbon, as they were made
  std::vector<std::uint64_t> position;   ///< by step: where it stands in `order`
  std::vector<std::uint32_t> ribbon_of;  ///< by step

  std::size_t size() const { return ribbons.size(); }
  /// The ribbons that one takes, by their first leaf.
  std::span<const std::uint32_t> inputs(std::size_t ribbon) const;
  std::span<const std::int64_t> steps(std::size_t ribbon) const;

  /// Totals over ribbons first … last, both included: of all their steps.
  MarkCounts marks(std::size_t first, std::size_t last) const;
  std::uint64_t step_count(std::size_t first, std::size_t last) const;
  Dyadic discarded(std::size_t first, std::size_t last) const;  ///< Σ of ledger entries
  /// What they contribute to A − B: their ledger entries, B's with the sign turned, without entries
  /// that both sides have alike. Over all ribbons of both sides: A − B exactly, where both add the
  /// same addends and all steps are finite.
  Dyadic share(std::size_t first, std::size_t last) const;

  std::vector<std::uint32_t> input_list;               ///< of all ribbons
  std::vector<std::uint64_t> input_begin;              ///< by ribbon, and one past the last
  std::vector<std::uint32_t> other_until, none_until;  ///< by position: running counts
  std::vector<Dyadic> discarded_until, share_until;    ///< by ribbon: running sums
};

/// O(steps log steps).
Ribbons cut_into_ribbons(const Trace& trace);
struct RibbonPair {
  Ribbons a, b;
};
RibbonPair cut_into_ribbons(const Trace& a, const Trace& b, const Divergence& divergence);

/// For each step: its value − the exact sum of all that lies below it: the ledger so far.
/// Precondition: trace.finite. O(steps).
std::vector<Dyadic> errors_so_far(const Trace& trace);

}  // namespace whybits
