#include <algorithm>
#include <set>

#include "lab/leaf_runs.hpp"
#include "sim/notation.hpp"
#include "tests/visualizer/random_pair.hpp"
#include "visualizer/model/k_axis.hpp"
#include "visualizer/model/waterfall.hpp"

using namespace whybits;
using namespace whybits::viz;
using namespace whybits::test;

namespace {

std::vector<FoldChoice> random_folds(Random& random, const AxisModel& model) {
  std::vector<FoldChoice> folds;
  for (std::uint64_t i = random.below(6); i > 0; --i) {
    const Side side = random.coin() ? Side::a : Side::b;
    const std::size_t ribbons = model.side(side).ribbons.size();
    if (ribbons > 0) folds.push_back({side, random.below(ribbons), random.coin()});
  }
  return folds;
}

AxisQuery random_query(Random& random, const AxisModel& model,
                       const std::vector<FoldChoice>& folds) {
  AxisQuery query;
  query.columns = static_cast<double>(random.between(1, 400));
  query.least_columns = static_cast<double>(random.between(0, 30));
  query.most_lanes = static_cast<std::uint32_t>(random.between(1, 8));
  query.most_depth = static_cast<std::uint32_t>(random.between(1, 12));
  query.folds = folds;
  if (random.coin() && model.leaves > 1) {
    query.first = static_cast<double>(random.below(model.leaves));
    query.last = query.first + 1 + static_cast<double>(random.below(model.leaves));
  }
  return query;
}

/// The ribbons whose steps an item holds.
std::pair<std::size_t, std::size_t> held(const AxisItem& item) {
  return item.kind == AxisItem::Kind::folded
             ? std::pair<std::size_t, std::size_t>(item.first_ribbon, item.ribbon)
             : std::pair<std::size_t, std::size_t>(item.ribbon, item.ribbon);
}

void check_side(const Trace& trace, const std::vector<Mark>& marks, const AxisSide& side,
                const std::vector<AxisItem>& items, const MarkCounts& outside) {
  std::vector<int> shown(trace.nodes.size());
  MarkCounts total = outside;
  for (const AxisItem& item : items) {
    MarkCounts inside;
    const auto [first, last] = held(item);
    for (std::size_t r = first; r <= last; ++r)
      for (const std::int64_t step : side.ribbons.steps(r)) {
        ++shown[static_cast<std::size_t>(step)];
        inside.add(marks[static_cast<std::size_t>(step)]);
      }
    CHECK(item.marks == inside);
    CHECK(item.differs() == !inside.all_same());
    CHECK(item.steps == inside.total());
    total += inside;
  }
  // No step is shown twice, and none is neither shown nor counted outside the view.
  CHECK(std::all_of(shown.begin(), shown.end(), [](int times) { return times <= 1; }));
  MarkCounts all;
  for (const Mark mark : marks) all.add(mark);
  CHECK(total == all);
}

}  // namespace

TEST_CASE("no fold hides a difference: items hold every visible step once, with its mark") {
  for_all(400, [](Random& random) {
    const auto pair = random_traced_pair(random);
    if (!pair) return;
    const AxisModel model = make_axis(pair->a, pair->b, pair->divergence);
    const std::vector<FoldChoice> folds = random_folds(random, model);
    const AxisFrame frame = axis_frame(model, random_query(random, model, folds));
    check_side(pair->a, pair->divergence.marks_a, model.a, frame.a, frame.outside_a);
    check_side(pair->b, pair->divergence.marks_b, model.b, frame.b, frame.outside_b);
  });
}

TEST_CASE("only what lies outside the view is left out of a frame") {
  for_all(200, [](Random& random) {
    const auto pair = random_traced_pair(random);
    if (!pair) return;
    const AxisModel model = make_axis(pair->a, pair->b, pair->divergence);
    const AxisQuery query = random_query(random, model, {});
    const AxisFrame frame = axis_frame(model, query);
    std::set<std::size_t> shown;
    for (const AxisItem& item : frame.a)
      for (auto [r, last] = held(item); r <= last; ++r) shown.insert(r);
    for (std::size_t i = 0; i < pair->a.nodes.size(); ++i) {
      const std::size_t r = model.a.ribbons.ribbon_of[i];
      const LeafSet& leaves = model.a.ribbons.ribbons[r].leaves;
      const bool inside = leaves.count == 0 || (static_cast<double>(leaves.last) >= frame.first &&
                                                static_cast<double>(leaves.first) < frame.last);
      if (inside && leaves.count > 0) CHECK(shown.count(r) == 1);
    }
  });
}

TEST_CASE("shares of all items of both sides add up to A minus B exactly") {
  int compared = 0;
  for_all(300, [&](Random& random) {
    const auto pair = random_traced_pair(random);
    if (!pair || !pair->divergence.ledger_valid || !pair->divergence.same_addends) return;
    const AxisModel model = make_axis(pair->a, pair->b, pair->divergence);
    const std::vector<FoldChoice> folds = random_folds(random, model);
    AxisQuery query = random_query(random, model, folds);
    query.first = query.last = 0;
    const AxisFrame frame = axis_frame(model, query);
    Dyadic sum;
    for (const AxisItem& item : frame.a) sum += item_share(model.a, item);
    for (const AxisItem& item : frame.b) sum += item_share(model.b, item);
    CHECK(sum == Dyadic::from_code(pair->a.format, pair->a.result) -
                     Dyadic::from_code(pair->b.format, pair->b.result));
    ++compared;
  });
  CHECK(compared > 50);
}

TEST_CASE("segments of a ribbon hold each of its visible steps once, the error walk its errors") {
  for_all(200, [](Random& random) {
    const auto pair = random_traced_pair(random);
    if (!pair || pair->a.nodes.empty()) return;
    const AxisModel model = make_axis(pair->a, pair->b, pair->divergence);
    const auto ribbon = static_cast<std::uint32_t>(random.below(model.a.ribbons.size()));
    AxisQuery query;
    query.columns = static_cast<double>(random.between(1, 50));
    MarkCounts marks, expected;
    for (const AxisSegment& s : segments(model.a, ribbon, query)) {
      CHECK(s.marks.total() == s.steps);
      CHECK(s.first <= s.last);
      marks += s.marks;
    }
    const auto steps = model.a.ribbons.steps(ribbon);
    for (const std::int64_t step : steps)
      expected.add(pair->divergence.marks_a[static_cast<std::size_t>(step)]);
    CHECK(marks == expected);
    if (!model.ledger_valid) return;
    const std::vector<Dyadic> errors = errors_so_far(pair->a);
    MinMax walked, naive;
    for (const WalkPoint& point : error_walk(model.a, ribbon, query)) {
      walked.add(point.min);
      walked.add(point.max);
    }
    for (const std::int64_t step : steps)
      naive.add(errors[static_cast<std::size_t>(step)].to_double());
    CHECK(walked == naive);
  });
}

TEST_CASE("every accumulator has its errors, a line through them only where it goes along K") {
  const OperandVector values(formats::f32,
                             {0x3F800000, 0x3F99999A, 0x40490FDB, 0x3DCCCCCD, 0x40B33333});
  Leaves leaves;
  leaves.a = &values;
  const auto model = [&](const char* a, const char* b) {
    const auto traced = [&](const char* notation) {
      return trace(make_reduction(parse_topology(notation), 5, LeafTypes::of(leaves)), leaves);
    };
    const Trace x = traced(a), y = traced(b);
    return make_axis(x, y, diverge(x, y));
  };
  const AxisModel axis = model("fold(f32)", "reverse(fold(f32))");
  CHECK(error_walk(axis.a, 0, {}).size() == 4);
  CHECK(axis.a.ascending[0]);
  CHECK(error_walk(axis.b, 0, {}).size() == 4);
  CHECK_FALSE(axis.b.ascending[0]);
  CHECK_FALSE(model("rotate(1, fold(f32))", "fold(f32)").a.ascending[0]);
}

TEST_CASE("an item's own leaves are those below it, wherever they lie") {
  int apart = 0;
  for_all(200, [&](Random& random) {
    const auto pair = random_traced_pair(random);
    if (!pair || pair->a.nodes.empty()) return;
    const AxisModel model = make_axis(pair->a, pair->b, pair->divergence);
    const std::vector<FoldChoice> folds = random_folds(random, model);
    AxisQuery query = random_query(random, model, folds);
    query.first = query.last = 0;
    query.columns = static_cast<double>(model.leaves) * 2;  // every leaf has a column
    for (const AxisItem& item : axis_frame(model, query).a) {
      std::vector<LeafRun> drawn;
      for (const LeafSpan& span : own_leaves(model.a, item, query))
        drawn.push_back(
            {static_cast<std::int64_t>(span.first), static_cast<std::int64_t>(span.last) - 1});
      if (item.leaves == 0) continue;
      // Neighbours in one fold are drawn as one, with what their parent takes between them.
      if (item.subtrees > 1 && item.lanes == 1) continue;
      std::vector<Origin> below;  // of several subtrees every top
      for (std::uint32_t r = item.first_ribbon; r <= item.ribbon; ++r)
        below.push_back(model.a.ribbons.steps(r).back());
      if (item.kind == AxisItem::Kind::folded || item.contiguous) {
        CHECK(drawn == leaf_runs(pair->a, below));
        if (!item.contiguous) ++apart;
      }
    }
  });
  CHECK(apart > 50);
}

TEST_CASE("a waterfall leaves nothing out and ends at result minus exact") {
  for_all(300, [](Random& random) {
    const auto pair = random_traced_pair(random);
    if (!pair || !pair->divergence.ledger_valid) return;
    const AxisModel model = make_axis(pair->a, pair->b, pair->divergence);
    const auto most = static_cast<std::size_t>(random.between(3, 30));
    const Dyadic rounding(random.between(-5, 5), -3);
    const Waterfall waterfall = make_waterfall(model.a, pair->a, rounding, most);
    CHECK(waterfall.before_last_rounding == pair->a.ledger());
    CHECK(waterfall.total == pair->a.ledger() + rounding);
    CHECK(waterfall.bars.size() <= most + 1);
    Dyadic end;
    std::uint64_t steps = 0;
    for (const WaterfallBar& bar : waterfall.bars) {
      CHECK(bar.start == end);
      end += bar.amount;
      CHECK(bar.end == end);
      steps += bar.marks.total();
    }
    CHECK(end == waterfall.total);
    CHECK(steps == pair->a.nodes.size());
  });
}

TEST_CASE("of a chain the waterfall says which steps discarded what, in the order of computing") {
  const OperandVector values(formats::f32, {0x3F800000, 0x3F99999A, 0x40490FDB, 0x3DCCCCCD});
  Leaves leaves;
  leaves.a = &values;
  const Trace traced = trace(
      make_reduction(parse_topology("rotate(1, fold(f32))"), 4, LeafTypes::of(leaves)), leaves);
  const AxisModel model = make_axis(traced, traced, diverge(traced, traced));
  const Waterfall fall = make_waterfall(model.a, traced, std::nullopt);
  REQUIRE(fall.bars.size() == 3);
  const std::vector<std::pair<double, double>> places{{1, 3}, {3, 4}, {0, 1}};  // ((1 + 2) + 3) + 0
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(std::pair(fall.bars[i].first, fall.bars[i].last) == places[i]);
    CHECK(fall.bars[i].amount == traced.nodes[i].discarded);
  }
  CHECK(fall.total == traced.ledger());
}

TEST_CASE("no piece of a chain that begins in the middle of K lies over another one") {
  std::vector<Bits> codes(1000, 0x3DCCCCCD);
  const OperandVector values(formats::f32, codes);
  Leaves leaves;
  leaves.a = &values;
  for (const char* notation : {"fold(f32)", "reverse(fold(f32))", "rotate(300, fold(f32))"}) {
    const Trace traced = trace(
        make_reduction(parse_topology(notation), codes.size(), LeafTypes::of(leaves)), leaves);
    const AxisModel model = make_axis(traced, traced, diverge(traced, traced));
    const Waterfall fall = make_waterfall(model.a, traced, std::nullopt);
    CHECK(fall.bars.size() == 8);
    double covered = 0;
    for (const WaterfallBar& bar : fall.bars) covered += bar.last - bar.first;
    CHECK(covered == 1000);
    CHECK(fall.total == traced.ledger());
  }
}

TEST_CASE("min and max of any range are those of its elements") {
  for_all(300, [](Random& random) {
    std::vector<double> values(random.below(5000));
    for (double& value : values) value = static_cast<double>(random.between(-1000, 1000));
    const MinMaxPyramid pyramid(values);
    const std::size_t first = random.below(values.size() + 1);
    const std::size_t last = first + random.below(values.size() - first + 1);
    MinMax naive;
    for (std::size_t i = first; i < last; ++i) naive.add(values[i]);
    CHECK(pyramid.range(first, last) == naive);
  });
}
