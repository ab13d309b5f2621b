#include "sim/fast/dealt_plan.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "sim/ceil_div.hpp"
#include "sim/fast/kernels/kernels.hpp"
#include "sim/shape_pool.hpp"

namespace whybits::fast {
namespace {

constexpr std::uint64_t fewest_lanes = 16, most_lanes = std::uint64_t{1} << 14;
constexpr std::uint64_t most_shapes = std::uint64_t{1} << 20;

/// A shape where it is placed, with other items, which each(item in outer coordinates) gives.
template <class Each>
Node rebuilt(ShapePool& pool, const Node& node, Each each) {
  const Shape& shape = *node.shape;
  const auto outer = [&](const Node& item) { return placed(item, node.offset, node.stride); };
  const Node carry = shape.begin == Shape::Begin::node ? each(outer(shape.carry)) : Node{};
  Items items;
  shape.items.for_each([&](const Node& item) { items.push(each(outer(item))); });
  switch (shape.op) {
    case Shape::Op::round:
      return pool.round(items.at(0), shape.conversion);
    case Shape::Op::operand:
      return pool.add_operand(items.empty() ? Node{} : items.at(0), shape.operand);
    case Shape::Op::any:
      return pool.any_order(*shape.unit, std::move(items));
    case Shape::Op::fold:
      break;
  }
  return pool.fold(*shape.unit, shape.begin, carry, std::move(items), shape.seams);
}

/// The highest subtrees of at most so many leaves, as leaves of the tree above them.
class Cut {
 public:
  Cut(const Tree& tree, std::uint64_t most_leaves) : tree_(tree), most_leaves_(most_leaves) {}

  /// False if a leaf stands outside of them, or they are too many.
  bool run() {
    above(tree_.root());
    return !failed_ && lanes_.size() >= fewest_lanes;
  }

  /// As they are met.
  const std::vector<Node>& lanes() const { return lanes_; }
  /// The tree above when lane i is leaf number[i].
  Tree above(const std::vector<std::uint64_t>& number) {
    number_ = &number;
    met_ = 0;
    return {number.size(), above(tree_.root())};
  }

 private:
  Node above(const Node& node) {
    if (failed_) return {};
    if (node.kind != Node::Kind::shape) return failure();
    if (node.shape->leaves <= most_leaves_) return lane(node);
    const std::uint64_t begun = items_of_first_lane(*node.shape);
    if (begun < 2) return rebuilt(pool_, node, [&](const Node& item) { return above(item); });
    return above_begun(node, begun);
  }

  /// A fold that begins with a fold by the same add continues it (tree.hpp): here it begins with
  /// the items of a lane, which become a fold of their own again.
  Node above_begun(const Node& node, std::uint64_t begun) {
    const Shape& shape = *node.shape;
    const Items& items = shape.items;
    const Node first = pool_.fold(*shape.unit, shape.begin, {}, items.range(0, begun));
    Items others;
    others.push(lane(placed(first, node.offset, node.stride)));
    for (std::uint64_t i = begun; i < items.size() && !failed_; ++i)
      others.push(above(placed(items.at(i), node.offset, node.stride)));
    return pool_.fold(*shape.unit, Shape::Begin::first, {}, std::move(others));
  }

  std::uint64_t items_of_first_lane(const Shape& shape) const {
    const bool begins = shape.begin == Shape::Begin::first || shape.begin == Shape::Begin::zero;
    if (shape.op != Shape::Op::fold || !begins || shape.unit->kind != Unit::Kind::add ||
        shape.unit->after)
      return 0;
    std::uint64_t items = 0, leaves = 0;
    for (const Run& run : shape.items.runs()) {
      const std::uint64_t each = std::max<std::uint64_t>(leaf_count(run.node), 1);
      const std::uint64_t fit = std::min(run.size(), (most_leaves_ - leaves) / each);
      items += fit;
      leaves += fit * each;
      if (fit < run.size()) break;
    }
    return items;
  }

  Node lane(const Node& node) {
    if (number_) return Node::leaf(static_cast<std::int64_t>((*number_)[met_++]));
    if (lanes_.size() == most_lanes) return failure();
    lanes_.push_back(node);
    return Node::leaf(static_cast<std::int64_t>(lanes_.size() - 1));
  }
  Node failure() {
    failed_ = true;
    return {};
  }

  const Tree& tree_;
  std::uint64_t most_leaves_;
  ShapePool pool_{most_shapes};
  std::vector<Node> lanes_;
  const std::vector<std::uint64_t>* number_ = nullptr;
  std::size_t met_ = 0;
  bool failed_ = false;
};

bool alike(const Node& a, const Node& b) {
  return a.stride == b.stride && equal(*a.shape, *b.shape);
}

struct Regular {
  std::uint64_t apart = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> groups;  ///< first lane, how many
};

/// Lanes in ascending order as groups of equal ones at one distance.
std::optional<Regular> regular(const std::vector<Node>& lanes) {
  constexpr std::size_t lanes_of_group = 16;  // on the average; a few ragged ones beside them
  const std::size_t most_groups = lanes.size() / lanes_of_group + 4;
  Regular found;
  for (std::uint64_t i = 0; i < lanes.size(); ++i) {
    const std::int64_t step = i > 0 ? lanes[i].offset - lanes[i - 1].offset : 0;
    const bool joins = i > 0 && alike(lanes[i - 1], lanes[i]) &&
                       (found.apart == 0 || step == static_cast<std::int64_t>(found.apart));
    if (!joins) {
      if (found.groups.size() == most_groups) return {};
      found.groups.emplace_back(i, 0);
    } else if (found.apart == 0) {
      found.apart = static_cast<std::uint64_t>(step);
    }
    ++found.groups.back().second;
  }
  return found.apart == 0 ? std::nullopt : std::optional(found);
}

/// Of a lane's value; none if lanes cannot be leaves: what takes other operands, or is not rounded.
std::optional<Format> format_of(const Node& lane) {
  for (const Shape* shape : shapes_bottom_up(lane))
    if (shape->op == Shape::Op::operand || shape->begin == Shape::Begin::c) return {};
  const Shape& shape = *lane.shape;
  if (shape.op == Shape::Op::round) return shape.conversion.to;
  if (shape.unit->kind == Unit::Kind::exact && !shape.unit->after) return {};
  return shape.unit->result_format();
}

/// What steps take, about, an addend of full lanes being 1.
constexpr double dealing = 1, turning = 10, beginning = 3000;  // a row

/// A row: lanes in whole column units, words that are dealt first, and the rest, whose words are
/// turned.
double cost(std::uint64_t addends, std::uint64_t lanes, const Regular& found) {
  std::uint64_t padded = 0;
  for (const auto& [first, count] : found.groups) padded += round_up(count, column_unit);
  const auto n = static_cast<double>(addends), m = static_cast<double>(lanes);
  return beginning + n * static_cast<double>(padded) / m + (found.apart > 1 ? dealing * n : 0) +
         turning * m;
}

struct Candidate {
  std::vector<Node> lanes;  ///< ascending
  Regular regular;
  Tree rest;
  Format format;
};

std::optional<Candidate> candidate(const Tree& tree, std::uint64_t most_leaves) {
  Cut cut(tree, most_leaves);
  if (!cut.run()) return {};
  const std::vector<Node>& met = cut.lanes();
  std::vector<std::uint64_t> order(met.size()), number(met.size());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::uint64_t a, std::uint64_t b) { return met[a].offset < met[b].offset; });
  Candidate made;
  for (std::uint64_t i = 0; i < order.size(); ++i) {
    number[order[i]] = i;
    made.lanes.push_back(met[order[i]]);
  }
  const std::optional<Regular> found = regular(made.lanes);
  const std::optional<Format> format = format_of(made.lanes[0]);
  if (!found || !format) return {};
  for (const auto& [first, count] : found->groups)
    if (format_of(made.lanes[first]) != format) return {};
  made.regular = *found;
  made.format = *format;
  made.rest = cut.above(number);
  return made;
}

/// The lane's leaves where dealt words have them, from `begin` on, which is a leaf.
Node dealt(ShapePool& pool, const DealtPlan& plan, std::int64_t begin, const Node& node) {
  if (node.is_empty()) return node;
  if (node.is_leaf())
    return Node::leaf(
        static_cast<std::int64_t>(plan.place(static_cast<std::uint64_t>(node.offset - begin))));
  return rebuilt(pool, node, [&](const Node& item) { return dealt(pool, plan, begin, item); });
}

Plan plan_of_lane(const DealtPlan& plan, std::int64_t begin, const Node& lane,
                  const LeafTypes& types) {
  ShapePool pool(most_shapes);
  const Node node = plan.apart > 1 ? dealt(pool, plan, begin, lane) : placed(lane, -begin, 1);
  LeafTypes own;
  own.a = types.a;
  own.b = types.b;
  Lattice words;
  words.include(node);
  Plan made =
      compile({nullptr, Tree(static_cast<std::uint64_t>(words.last) + 1, node), plan.format}, own);
  if (own.b) use_pairs(made);
  return made;
}

/// Groups of equal lanes share a plan. False if there are too many plans.
bool add_groups(DealtPlan& plan, const Candidate& cut, const LeafTypes& types) {
  constexpr std::size_t most_plans = 4;
  struct Made {
    Node lane;
    std::int64_t remainder;
  };
  std::vector<Made> made;
  const auto apart = static_cast<std::int64_t>(plan.apart);
  for (const auto& [first, count] : cut.regular.groups) {
    const Node& lane = cut.lanes[first];
    const std::int64_t remainder = lane.offset % apart, begin = lane.offset - remainder;
    const auto same = std::find_if(made.begin(), made.end(), [&](const Made& known) {
      return known.remainder == remainder && alike(known.lane, lane);
    });
    const auto number = static_cast<std::size_t>(same - made.begin());
    if (same == made.end()) {
      if (made.size() == most_plans) return false;
      made.push_back({lane, remainder});
      plan.plans.push_back(plan_of_lane(plan, begin, lane, types));
    }
    plan.groups.push_back({first, count, static_cast<std::uint64_t>(begin / apart), number});
  }
  return true;
}

/// Sizes of subtrees, and of what a fold begins with, that may be lanes. Irregular trees have many.
std::set<std::uint64_t> lane_sizes(const Node& root) {
  const std::uint64_t most = root.shape->leaves / fewest_lanes;
  std::set<std::uint64_t> sizes;
  const auto note = [&](std::uint64_t size) {
    if (size >= 2 && size <= most) sizes.insert(size);
  };
  for (const Shape* shape : shapes_bottom_up(root)) {
    note(shape->leaves);
    std::uint64_t begun = 0;
    for (const Run& run : shape->items.runs()) {
      begun += run.size() * leaf_count(run.node);
      if (begun > most) break;
      note(begun);
    }
  }
  return sizes;
}

/// Null where turning all words takes fewer steps than any cut.
std::shared_ptr<const DealtPlan> deal(const Reduction& reduction, const LeafTypes& types) {
  const Tree& tree = reduction.tree;
  const Node& root = tree.root();
  if (types.product || root.kind != Node::Kind::shape) return {};
  const std::set<std::uint64_t> sizes = lane_sizes(root);
  constexpr std::size_t most_sizes = 64;
  if (sizes.size() > most_sizes) return {};
  std::optional<Candidate> best;
  double least = turning * static_cast<double>(tree.addends());
  for (const std::uint64_t most_leaves : sizes) {
    std::optional<Candidate> next = candidate(tree, most_leaves);
    if (!next) continue;
    const double steps = cost(tree.addends(), next->lanes.size(), next->regular);
    if (steps >= least) continue;
    least = steps;
    best = std::move(next);
  }
  if (!best) return {};
  auto made = std::make_shared<DealtPlan>();
  made->addends = tree.addends();
  made->apart = best->regular.apart;
  made->format = best->format;
  if (!add_groups(*made, *best, types)) return {};
  LeafTypes rest = types;
  rest.a = best->format;
  rest.b.reset();
  made->rest = compile_dealt({nullptr, best->rest, reduction.result}, rest);
  return made;
}

}  // namespace

std::uint64_t DealtPlan::most_in_group(std::size_t plan) const {
  std::uint64_t most = 0;
  for (const Group& group : groups)
    if (group.plan == plan) most = std::max(most, group.count);
  return most;
}

RegionPlan compile_dealt(const Reduction& reduction, const LeafTypes& types) {
  RegionPlan made = compile_one(reduction, types);
  made.dealt = deal(reduction, types);
  return made;
}

}  // namespace whybits::fast
