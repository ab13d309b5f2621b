// Both trees along K: what a frame draws for the visible part, folded to what can be seen. A fold
// carries how many steps of each mark it holds and its exact share of A − B; no fold ever hides a
// difference (tests/visualizer/test_k_axis.cpp). The cost of a frame depends on its columns, not on
// the number of leaves.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/ribbons.hpp"
#include "lab/study.hpp"
#include "visualizer/model/pair_view.hpp"
#include "visualizer/model/pyramid.hpp"

namespace whybits::viz {

/// One side. Made once for a story; a frame only reads it.
struct AxisSide {
  Side side = Side::a;
  std::uint64_t leaves = 0;  ///< of the axis
  Ribbons ribbons;
  /// By position, in each ribbon ascending in K (`order` is by evaluation): the step, and the
  /// leaves that it adds itself, [from, to); of a merge the place of its joint, from = to.
  std::vector<std::int64_t> by_leaf;
  std::vector<double> from, to;
  std::vector<double> widest;  ///< by ribbon: the largest to − from
  /// By ribbon: it takes its leaves in ascending order, so that what is left of a step comes
  /// before.
  std::vector<bool> ascending;
  /// By leaf: the ribbon that takes it, −1 if none does. Empty where every ribbon has its leaves
  /// side by side.
  std::vector<std::int32_t> taken_by;
  std::vector<std::uint64_t> place_of;                 ///< by step: where it stands in `by_leaf`
  std::vector<std::uint32_t> other_until, none_until;  ///< running counts in this order
  std::vector<double> share_until;                     ///< running sum, for shades only
  MinMaxPyramid errors;  ///< value − exact of what is below, in this order; empty if not finite
};

struct AxisModel {
  std::uint64_t leaves = 0;
  AxisSide a, b;
  bool ledger_valid = false;  ///< else amounts, shares and the error walk mean nothing

  const AxisSide& side(Side which) const { return which == Side::a ? a : b; }
};

AxisModel make_axis(const Trace& a, const Trace& b, const Divergence& divergence);

/// What is visible, and how finely: columns are pixels (or fewer).
struct AxisQuery {
  double first = 0, last = 0;  ///< leaves, half open; 0, 0: all
  double columns = 1000;
  double least_columns = 12;      ///< narrower subtrees are folded
  std::uint32_t most_lanes = 8;   ///< that may lie across one another, whatever their depth
  std::uint32_t most_depth = 24;  ///< ribbons below one another; an unfolded one begins anew
  std::span<const FoldChoice> folds = {};
};

struct AxisItem {
  enum class Kind : std::uint8_t {
    ribbon,  ///< one accumulator that takes leaves
    merge,   ///< one that only takes ribbons, or rounds
    folded   ///< one or more whole subtrees
  };
  Kind kind = Kind::ribbon;
  std::uint32_t depth = 0;            ///< 0: has the result; it is drawn lowest
  std::uint32_t lane = 0, lanes = 1;  ///< place among overlapping neighbours
  double first = 0, last = 0;         ///< leaves covered, half open, not clipped to the view
  bool contiguous = true;             ///< else other items have leaves in between
  std::uint32_t ribbon = 0;           ///< the one drawn; of a fold the last, its top
  std::uint32_t first_ribbon = 0;     ///< of a fold: ribbons first_ribbon … ribbon are inside
  std::uint32_t subtrees = 1;         ///< of a fold: how many neighbours
  bool chosen = false;                ///< the user folded it
  std::uint64_t steps = 0;
  std::uint64_t leaves = 0;
  MarkCounts marks;
  std::int64_t last_step = -1;  ///< its result; of several subtrees the last one's
  std::int64_t joins = -1;      ///< step that takes its result; −1: it is the result
  double joins_at = 0;          ///< and where

  bool differs() const { return !marks.all_same(); }
};

struct AxisFrame {
  double first = 0, last = 0;
  std::vector<AxisItem> a, b;              ///< deepest first, then by leaf
  std::uint32_t depth_a = 0, depth_b = 0;  ///< the largest depth among the items, plus one
  /// Steps of subtrees that lie outside the view.
  MarkCounts outside_a, outside_b;
};
AxisFrame axis_frame(const AxisModel& model, const AxisQuery& query);

/// Where the leaves of an item lie, as runs [first, last) of leaves in view: neighbours that fall
/// into one column are one run. O(columns).
struct LeafSpan {
  double first = 0, last = 0;
};
std::vector<LeafSpan> own_leaves(const AxisSide& side, const AxisItem& item,
                                 const AxisQuery& query);

/// Exact amounts of an item: for labels and tooltips.
Dyadic item_discarded(const AxisSide& side, const AxisItem& item);
Dyadic item_share(const AxisSide& side, const AxisItem& item);

/// A ribbon's own steps, or a merge's joints, column by column: neighbours that fall into one
/// column are one segment.
struct AxisSegment {
  double first = 0, last = 0;  ///< leaves; of joints first = last
  std::int64_t step = -1;      ///< the last one
  std::uint64_t steps = 0;
  MarkCounts marks;
  double share = 0;
};
std::vector<AxisSegment> segments(const AxisSide& side, std::uint32_t ribbon,
                                  const AxisQuery& query);

/// The error walk of a ribbon: accumulator − exact sum so far, smallest and largest in each column.
/// Of a ribbon that does not go along K (AxisSide::ascending) neighbouring points are not
/// neighbouring steps: points, and no line through them.
struct WalkPoint {
  double at = 0;  ///< leaf
  double min = 0, max = 0, last = 0;
};
std::vector<WalkPoint> error_walk(const AxisSide& side, std::uint32_t ribbon,
                                  const AxisQuery& query);
/// Of a fold: the error of its last result. Precondition: ledger_valid.
WalkPoint folded_error(const AxisSide& side, const AxisItem& item);
/// Smallest and largest error anywhere on both sides, with 0: for a common scale.
MinMax error_range(const AxisModel& model);

/// The ribbon's step whose own leaves hold this place, or the nearest; −1 if it has no step.
std::int64_t step_at(const AxisSide& side, std::uint32_t ribbon, double leaf);

/// Steps at which a difference begins: marked other than same_bits, all that they take from other
/// steps same_bits. Along K, at most so many. O(steps).
std::vector<std::int64_t> first_differences(const AxisSide& side, const Trace& trace,
                                            const std::vector<Mark>& marks, std::size_t most = 256);

}  // namespace whybits::viz
