#include "visualizer/model/k_axis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace whybits::viz {
namespace {

const TraceNode& at(const Trace& trace, std::int64_t step) {
  return trace.nodes[static_cast<std::size_t>(step)];
}

struct Place {
  double from = 0, to = 0;
};

/// Where a step lies along K: the leaves that it adds itself; of a merge the end of what it joins;
/// of a rounding the step that it follows.
class Places {
 public:
  explicit Places(const Trace& trace) : trace_(trace) {
    places_.reserve(trace.nodes.size());
    for (const TraceNode& node : trace.nodes) places_.push_back(place(node));
  }
  const Place& of(std::int64_t step) const { return places_[static_cast<std::size_t>(step)]; }

 private:
  Place place(const TraceNode& node) const {
    LeafSet own;
    std::int64_t joined = -1;
    const auto take = [&](Origin origin, bool joins) {
      if (is_leaf_origin(origin)) own.insert(origin);
      if (origin >= 0 && joins) joined = std::max(joined, at(trace_, origin).leaves.last);
    };
    take(node.accumulator, false);
    for (const Origin origin : node.inputs) take(origin, !node.is_rounding);
    if (own.count > 0) return {static_cast<double>(own.first), static_cast<double>(own.last + 1)};
    if (joined >= 0) return {static_cast<double>(joined + 1), static_cast<double>(joined + 1)};
    const Origin before =
        node.is_rounding && !node.inputs.empty() ? node.inputs[0] : node.accumulator;
    if (before >= 0) return {of(before).to, of(before).to};
    return {};
  }

  const Trace& trace_;
  std::vector<Place> places_;
};

AxisSide make_side(Side which, const Trace& trace, Ribbons ribbons,
                   const std::vector<Mark>& marks) {
  AxisSide side;
  side.side = which;
  side.ribbons = std::move(ribbons);
  const Places places(trace);
  side.by_leaf = side.ribbons.order;
  for (const Ribbon& ribbon : side.ribbons.ribbons) {
    const auto begin = side.by_leaf.begin() + static_cast<std::ptrdiff_t>(ribbon.begin);
    const auto end = side.by_leaf.begin() + static_cast<std::ptrdiff_t>(ribbon.end);
    const auto earlier = [&](std::int64_t x, std::int64_t y) {
      return places.of(x).from < places.of(y).from;
    };
    side.ascending.push_back(std::is_sorted(begin, end, earlier));
    if (!side.ascending.back()) std::stable_sort(begin, end, earlier);
    double widest = 0;
    for (auto step = begin; step != end; ++step)
      widest = std::max(widest, places.of(*step).to - places.of(*step).from);
    side.widest.push_back(widest);
  }
  side.place_of.resize(side.by_leaf.size());
  side.other_until.assign(1, 0);
  side.none_until.assign(1, 0);
  for (std::size_t i = 0; i < side.by_leaf.size(); ++i) {
    const auto step = static_cast<std::size_t>(side.by_leaf[i]);
    side.place_of[step] = i;
    side.from.push_back(places.of(side.by_leaf[i]).from);
    side.to.push_back(places.of(side.by_leaf[i]).to);
    side.other_until.push_back(side.other_until.back() + (marks[step] == Mark::other_bits ? 1 : 0));
    side.none_until.push_back(side.none_until.back() +
                              (marks[step] == Mark::no_counterpart ? 1 : 0));
  }
  return side;
}

void add_amounts(AxisSide& side, const Trace& own, const std::vector<std::int64_t>& counterparts,
                 const Trace& other) {
  const std::vector<Dyadic> errors = errors_so_far(own);
  std::vector<double> walk;
  walk.reserve(errors.size());
  double share = 0;
  side.share_until.assign(1, 0);
  for (const std::int64_t step : side.by_leaf) {
    const auto i = static_cast<std::size_t>(step);
    walk.push_back(errors[i].to_double());
    const Dyadic& amount = own.nodes[i].discarded;
    const bool alike = counterparts[i] >= 0 && amount == at(other, counterparts[i]).discarded;
    if (!alike && !amount.is_zero())
      share += side.side == Side::a ? amount.to_double() : -amount.to_double();
    side.share_until.push_back(share);
  }
  side.errors = MinMaxPyramid(std::move(walk));
}

/// For ribbons whose leaves lie apart.
void find_takers(AxisSide& side, const Trace& trace) {
  const auto& ribbons = side.ribbons.ribbons;
  const auto apart = [](const Ribbon& r) { return r.leaves.count > 0 && !r.contiguous(); };
  if (std::none_of(ribbons.begin(), ribbons.end(), apart)) return;
  side.taken_by.assign(side.leaves, -1);
  for (std::size_t step = 0; step < trace.nodes.size(); ++step) {
    const auto take = [&](Origin origin) {
      if (is_leaf_origin(origin))
        side.taken_by[static_cast<std::size_t>(leaf_of_origin(origin))] =
            static_cast<std::int32_t>(side.ribbons.ribbon_of[step]);
    };
    take(trace.nodes[step].accumulator);
    for (const Origin origin : trace.nodes[step].inputs) take(origin);
  }
}

// --- frames ------------------------------------------------------------------------------------

struct View {
  double first, last;
  double leaf_columns;  ///< columns that a leaf takes
};

View view_of(const AxisQuery& query, std::uint64_t leaves) {
  const bool all = !(query.last > query.first);
  View view{all ? 0 : query.first,
            all ? static_cast<double>(std::max<std::uint64_t>(leaves, 1)) : query.last, 1};
  view.leaf_columns = std::max(query.columns, 1.0) / (view.last - view.first);
  return view;
}

class FrameBuilder {
 public:
  FrameBuilder(const AxisSide& side, const AxisQuery& query, const View& view)
      : side_(side), ribbons_(side.ribbons), query_(query), view_(view) {
    for (const FoldChoice& choice : query.folds)
      if (choice.side == side.side && choice.ribbon < ribbons_.size())
        (choice.folded ? folded_ : unfolded_).push_back(static_cast<std::uint32_t>(choice.ribbon));
    std::sort(folded_.begin(), folded_.end());
    std::sort(unfolded_.begin(), unfolded_.end());
  }

  void build() {
    // Results that nothing takes: one, but for trees without steps none.
    std::vector<std::uint32_t> roots;
    for (std::size_t end = ribbons_.size(); end > 0; end = ribbons_.ribbons[end - 1].first_below)
      roots.push_back(static_cast<std::uint32_t>(end - 1));
    std::reverse(roots.begin(), roots.end());
    for (const std::uint32_t root : roots) open_.push_back({root, 0, 1, 0, 1});
    while (!open_.empty()) {
      const Subtree next = open_.back();
      open_.pop_back();
      subtree(next);
    }
    std::stable_sort(items.begin(), items.end(), [](const AxisItem& x, const AxisItem& y) {
      if (x.depth != y.depth) return x.depth > y.depth;
      if (x.first != y.first) return x.first < y.first;
      return x.lane < y.lane;
    });
  }

  std::vector<AxisItem> items;
  MarkCounts outside;

 private:
  struct Subtree {
    std::uint32_t ribbon;
    std::uint32_t lane, lanes;
    std::uint32_t nested;  ///< ribbons above it since the last that the user unfolded
    std::uint64_t crowd;   ///< how many may lie across one another here, since then
  };

  const Ribbon& ribbon(std::uint32_t r) const { return ribbons_.ribbons[r]; }
  double first(std::uint32_t r) const {
    return static_cast<double>(std::max<std::int64_t>(ribbon(r).leaves.first, 0));
  }
  double last(std::uint32_t r) const {
    return ribbon(r).leaves.count == 0 ? first(r) : static_cast<double>(ribbon(r).leaves.last + 1);
  }
  static bool has(const std::vector<std::uint32_t>& sorted, std::uint32_t r) {
    return std::binary_search(sorted.begin(), sorted.end(), r);
  }
  bool visible(double from, double to) const { return to >= view_.first && from < view_.last; }
  double columns(double from, double to) const { return (to - from) * view_.leaf_columns; }

  void subtree(const Subtree& s) {
    const std::uint32_t r = s.ribbon;
    if (!visible(first(r), last(r))) {
      outside += ribbons_.marks(ribbon(r).first_below, r);
      return;
    }
    const bool unfolded = has(unfolded_, r);
    const bool chosen = has(folded_, r);
    const bool narrow = columns(first(r), last(r)) < query_.least_columns;
    const bool deep = s.nested >= query_.most_depth && ribbon(r).first_below != r;
    if (chosen || (!unfolded && (narrow || deep || crowded(s)))) {
      fold({&r, 1}, s.lane, s.lanes, chosen);
      return;
    }
    draw(s);
    if (unfolded)
      inputs(r, 0, 1);
    else
      inputs(r, s.nested + 1, s.crowd);
  }

  /// Would its inputs, drawn across one another beside those of its neighbours, be too many?
  bool crowded(const Subtree& s) const {
    if (!ribbon(s.ribbon).overlapping || s.crowd == 1) return false;
    const std::uint64_t rows =
        std::min<std::uint64_t>(ribbons_.inputs(s.ribbon).size(), query_.most_lanes);
    return s.crowd * rows > query_.most_lanes;
  }

  AxisItem item(std::uint32_t first_ribbon, std::uint32_t top) const {
    AxisItem out;
    out.depth = ribbon(top).depth;
    out.ribbon = top;
    out.first_ribbon = first_ribbon;
    out.last_step = ribbons_.steps(top).back();
    out.joins = ribbon(top).joins;
    if (out.joins >= 0)
      out.joins_at = side_.to[side_.place_of[static_cast<std::size_t>(out.joins)]];
    return out;
  }

  void draw(const Subtree& s) {
    AxisItem out = item(s.ribbon, s.ribbon);
    out.kind = ribbon(s.ribbon).takes_leaves ? AxisItem::Kind::ribbon : AxisItem::Kind::merge;
    out.lane = s.lane;
    out.lanes = s.lanes;
    out.first = first(s.ribbon);
    out.last = last(s.ribbon);
    out.contiguous = ribbon(s.ribbon).contiguous();
    out.leaves = ribbon(s.ribbon).leaves.count;
    out.marks = ribbons_.marks(s.ribbon, s.ribbon);
    out.steps = out.marks.total();
    items.push_back(out);
  }

  /// One item for neighbouring subtrees.
  void fold(std::span<const std::uint32_t> tops, std::uint32_t lane, std::uint32_t lanes,
            bool chosen) {
    AxisItem out = item(ribbon(tops.front()).first_below, tops.back());
    out.kind = AxisItem::Kind::folded;
    out.lane = lane;
    out.lanes = lanes;
    out.chosen = chosen;
    out.subtrees = static_cast<std::uint32_t>(tops.size());
    out.first = first(tops.front());
    // Of overlapping neighbours any may reach farthest; there are few of those in a fold.
    out.last = last(tops.back());
    if (lanes > 1)
      for (const std::uint32_t r : tops) out.last = std::max(out.last, last(r));
    out.leaves = leaves(tops, lanes > 1);
    out.contiguous = out.leaves == static_cast<std::uint64_t>(out.last - out.first);
    out.marks = ribbons_.marks(out.first_ribbon, out.ribbon);
    out.steps = out.marks.total();
    items.push_back(out);
  }

  std::uint64_t leaves(std::span<const std::uint32_t> tops, bool overlapping) const {
    if (tops.size() == 1) return ribbon(tops[0]).leaves.count;
    if (!overlapping)  // neighbours along K
      return static_cast<std::uint64_t>(last(tops.back()) - first(tops.front()));
    std::uint64_t count = 0;
    for (const std::uint32_t r : tops) count += ribbon(r).leaves.count;
    return count;
  }

  void inputs(std::uint32_t r, std::uint32_t nested, std::uint64_t crowd) {
    const std::span<const std::uint32_t> list = ribbons_.inputs(r);
    if (list.empty()) return;
    if (ribbon(r).overlapping)
      lanes(list, nested, crowd);
    else
      neighbours(list, nested, crowd);
  }

  /// Inputs that lie across one another: at most so many rows, unless the user unfolds a row.
  void lanes(std::span<const std::uint32_t> list, std::uint32_t nested, std::uint64_t crowd) {
    struct Group {
      std::size_t begin, end;
    };
    std::vector<Group> groups;
    split(
        0, list.size(), [&](std::size_t begin, std::size_t end) { groups.push_back({begin, end}); },
        list);
    const auto count = static_cast<std::uint32_t>(groups.size());
    for (std::uint32_t g = 0; g < count; ++g) {
      const auto [begin, end] = groups[g];
      if (end - begin == 1)
        open_.push_back({list[begin], g, count, nested, crowd * count});
      else
        fold(list.subspan(begin, end - begin), g, count, false);
    }
  }

  /// Into most_lanes groups as equal as can be; one whose last ribbon is unfolded is split again.
  template <class Take>
  void split(std::size_t begin, std::size_t end, const Take& take,
             std::span<const std::uint32_t> list) const {
    const std::size_t count = end - begin;
    const std::size_t parts = std::min<std::size_t>(std::max(query_.most_lanes, 2U), count);
    for (std::size_t p = 0; p < parts; ++p) {
      const std::size_t from = begin + count * p / parts;
      const std::size_t to = begin + count * (p + 1) / parts;
      if (to - from > 1 && has(unfolded_, list[to - 1]))
        split(from, to, take, list);
      else
        take(from, to);
    }
  }

  /// Inputs side by side: those outside the view are passed over, narrow ones folded together.
  void neighbours(std::span<const std::uint32_t> list, std::uint32_t nested, std::uint64_t crowd) {
    const auto begin = std::partition_point(list.begin(), list.end(),
                                            [&](std::uint32_t r) { return last(r) < view_.first; });
    const auto end = std::partition_point(begin, list.end(),
                                          [&](std::uint32_t r) { return first(r) < view_.last; });
    pass_over(list.begin(), begin);
    pass_over(end, list.end());
    const double least = query_.least_columns / view_.leaf_columns;
    for (auto i = begin; i != end;) {
      auto j = std::partition_point(i, end,
                                    [&](std::uint32_t r) { return last(r) <= first(*i) + least; });
      if (j == i) {
        open_.push_back({*i++, 0, 1, nested, crowd});
        continue;
      }
      j = std::find_if(i, cut_short(i, j), [&](std::uint32_t r) { return chosen(r); });
      if (j == i) {
        open_.push_back({*i++, 0, 1, nested, crowd});
        continue;
      }
      fold(std::span(i, j), 0, 1, false);
      i = j;
    }
  }

  using Iterator = std::span<const std::uint32_t>::iterator;
  bool chosen(std::uint32_t r) const { return has(folded_, r) || has(unfolded_, r); }
  /// Where to look for choices: nowhere if there are none.
  Iterator cut_short(Iterator begin, Iterator end) const {
    return folded_.empty() && unfolded_.empty() ? begin : end;
  }

  void pass_over(Iterator begin, Iterator end) {
    if (begin != end) outside += ribbons_.marks(ribbon(*begin).first_below, *(end - 1));
  }

  const AxisSide& side_;
  const Ribbons& ribbons_;
  const AxisQuery& query_;
  const View view_;
  std::vector<std::uint32_t> folded_, unfolded_;
  std::vector<Subtree> open_;
};

/// Positions of a ribbon's steps that may be visible.
std::pair<std::size_t, std::size_t> visible_steps(const AxisSide& side, std::uint32_t ribbon,
                                                  const View& view) {
  const Ribbon& r = side.ribbons.ribbons[ribbon];
  const auto begin = side.from.begin() + static_cast<std::ptrdiff_t>(r.begin);
  const auto end = side.from.begin() + static_cast<std::ptrdiff_t>(r.end);
  const auto first = std::lower_bound(begin, end, view.first - side.widest[ribbon]);
  const auto last = std::upper_bound(first, end, view.last);
  return {static_cast<std::size_t>(first - side.from.begin()),
          static_cast<std::size_t>(last - side.from.begin())};
}

/// Calls take(i, j) for runs of steps i … j − 1 that begin in one column.
template <class Take>
void for_each_column(const AxisSide& side, std::uint32_t ribbon, const View& view, Take take) {
  auto [i, end] = visible_steps(side, ribbon, view);
  const auto at = [&](std::size_t position) {
    return side.from.begin() + static_cast<std::ptrdiff_t>(position);
  };
  const double column = 1 / view.leaf_columns;
  while (i < end) {
    const auto next = std::lower_bound(at(i) + 1, at(end), side.from[i] + column);
    const auto j = static_cast<std::size_t>(next - side.from.begin());
    take(i, j);
    i = j;
  }
}

}  // namespace

AxisModel make_axis(const Trace& a, const Trace& b, const Divergence& divergence) {
  AxisModel model;
  model.leaves = std::max(a.tree.addends(), b.tree.addends());
  model.ledger_valid = divergence.ledger_valid;
  RibbonPair ribbons = cut_into_ribbons(a, b, divergence);
  model.a = make_side(Side::a, a, std::move(ribbons.a), divergence.marks_a);
  model.b = make_side(Side::b, b, std::move(ribbons.b), divergence.marks_b);
  model.a.leaves = model.b.leaves = model.leaves;
  find_takers(model.a, a);
  find_takers(model.b, b);
  if (model.ledger_valid) {
    add_amounts(model.a, a, divergence.counterpart_a, b);
    add_amounts(model.b, b, divergence.counterpart_b, a);
  }
  return model;
}

AxisFrame axis_frame(const AxisModel& model, const AxisQuery& query) {
  const View view = view_of(query, model.leaves);
  AxisFrame frame;
  frame.first = view.first;
  frame.last = view.last;
  const auto build = [&](const AxisSide& side, std::vector<AxisItem>& items, std::uint32_t& depth,
                         MarkCounts& outside) {
    FrameBuilder builder(side, query, view);
    builder.build();
    items = std::move(builder.items);
    outside = builder.outside;
    for (const AxisItem& item : items) depth = std::max(depth, item.depth + 1);
  };
  build(model.a, frame.a, frame.depth_a, frame.outside_a);
  build(model.b, frame.b, frame.depth_b, frame.outside_b);
  return frame;
}

Dyadic item_discarded(const AxisSide& side, const AxisItem& item) {
  return side.ribbons.discarded(item.first_ribbon, item.ribbon);
}

Dyadic item_share(const AxisSide& side, const AxisItem& item) {
  return side.ribbons.share(item.first_ribbon, item.ribbon);
}

std::vector<AxisSegment> segments(const AxisSide& side, std::uint32_t ribbon,
                                  const AxisQuery& query) {
  std::vector<AxisSegment> out;
  const View view = view_of(query, side.leaves);
  for_each_column(side, ribbon, view, [&](std::size_t i, std::size_t j) {
    AxisSegment s;
    s.first = side.from[i];
    s.last = std::max(side.to[i], side.to[j - 1]);
    s.step = side.by_leaf[j - 1];
    s.steps = j - i;
    s.marks.other = side.other_until[j] - side.other_until[i];
    s.marks.no_counterpart = side.none_until[j] - side.none_until[i];
    s.marks.same = s.steps - s.marks.other - s.marks.no_counterpart;
    if (!side.share_until.empty()) s.share = side.share_until[j] - side.share_until[i];
    out.push_back(s);
  });
  return out;
}

std::vector<WalkPoint> error_walk(const AxisSide& side, std::uint32_t ribbon,
                                  const AxisQuery& query) {
  std::vector<WalkPoint> out;
  if (side.errors.size() == 0) return out;
  const View view = view_of(query, side.leaves);
  for_each_column(side, ribbon, view, [&](std::size_t i, std::size_t j) {
    const MinMax range = side.errors.range(i, j);
    out.push_back({side.to[j - 1], range.min, range.max, side.errors.values()[j - 1]});
  });
  return out;
}

WalkPoint folded_error(const AxisSide& side, const AxisItem& item) {
  const std::uint64_t place = side.place_of[static_cast<std::size_t>(item.last_step)];
  const double error = side.errors.values()[place];
  return {item.last, error, error, error};
}

std::vector<LeafSpan> own_leaves(const AxisSide& side, const AxisItem& item,
                                 const AxisQuery& query) {
  const View view = view_of(query, side.leaves);
  const double first = std::max(item.first, std::floor(view.first));
  const double last = std::min(item.last, std::ceil(view.last));
  if (item.contiguous || side.taken_by.empty() || last <= first) return {{item.first, item.last}};
  const auto own = [&](double leaf) {
    const std::int32_t ribbon = side.taken_by[static_cast<std::size_t>(leaf)];
    return ribbon >= static_cast<std::int32_t>(item.first_ribbon) &&
           ribbon <= static_cast<std::int32_t>(item.ribbon);
  };
  const double column = std::max(1.0, std::ceil(1 / view.leaf_columns));
  constexpr double samples = 8;  // of a column's leaves: enough for a picture
  std::vector<LeafSpan> out;
  for (double at = first; at < last; at += column) {
    const double end = std::min(at + column, last);
    bool any = false;
    for (double leaf = at; leaf < end && !any; leaf += std::max(1.0, column / samples))
      any = own(std::floor(leaf));
    if (!any) continue;
    if (!out.empty() && out.back().last == at)
      out.back().last = end;
    else
      out.push_back({at, end});
  }
  return out;
}

MinMax error_range(const AxisModel& model) {
  MinMax range;
  range.add(0);
  for (const AxisSide* side : {&model.a, &model.b})
    range.add(side->errors.range(0, side->errors.size()));
  return range;
}

std::int64_t step_at(const AxisSide& side, std::uint32_t ribbon, double leaf) {
  const Ribbon& r = side.ribbons.ribbons[ribbon];
  const auto begin = side.from.begin() + static_cast<std::ptrdiff_t>(r.begin);
  const auto end = side.from.begin() + static_cast<std::ptrdiff_t>(r.end);
  if (begin == end) return -1;
  auto found = std::upper_bound(begin, end, leaf);
  if (found != begin) --found;
  return side.by_leaf[static_cast<std::size_t>(found - side.from.begin())];
}

std::vector<std::int64_t> first_differences(const AxisSide& side, const Trace& trace,
                                            const std::vector<Mark>& marks, std::size_t most) {
  const auto same = [&](Origin origin) {
    return origin < 0 || marks[static_cast<std::size_t>(origin)] == Mark::same_bits;
  };
  std::vector<std::int64_t> out;
  for (const std::int64_t step : side.by_leaf) {
    if (out.size() == most) break;
    const TraceNode& node = at(trace, step);
    if (!same(step) && same(node.accumulator) &&
        std::all_of(node.inputs.begin(), node.inputs.end(), same))
      out.push_back(step);
  }
  return out;
}

}  // namespace whybits::viz
