#include "sim/tree.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "sim/ceil_div.hpp"
#include "sim/hash.hpp"

namespace whybits {
namespace {

class Comparer {
 public:
  bool same(const Node& a, const Node& b) {
    if (a.kind != b.kind || a.offset != b.offset || a.stride != b.stride) return false;
    return a.kind != Node::Kind::shape || same(*a.shape, *b.shape);
  }

  bool same(const Shape& a, const Shape& b) {
    if (&a == &b) return true;
    if (a.hash != b.hash || a.op != b.op || a.begin != b.begin || a.leaves != b.leaves ||
        a.extent != b.extent || a.seams != b.seams || a.operand != b.operand ||
        (a.op == Shape::Op::round && !(a.conversion == b.conversion)))
      return false;
    if (static_cast<bool>(a.unit) != static_cast<bool>(b.unit)) return false;
    if (a.unit && !a.unit->same_arithmetic(*b.unit)) return false;
    const std::pair<const Shape*, const Shape*> key{&a, &b};
    if (known_.contains(key)) return true;
    const auto& left = a.items.runs();
    const auto& right = b.items.runs();
    if (left.size() != right.size() || !same(a.carry, b.carry)) return false;
    for (std::size_t i = 0; i < left.size(); ++i)
      if (left[i].step != right[i].step || left[i].count != right[i].count ||
          left[i].repeat_step != right[i].repeat_step || left[i].repeats != right[i].repeats ||
          !same(left[i].node, right[i].node))
        return false;
    known_.insert(key);
    return true;
  }

 private:
  std::set<std::pair<const Shape*, const Shape*>> known_;
};

struct Measure {
  std::uint64_t steps = 0;
  std::uint64_t depth = 0;
};

/// Steps of a fold over `items` leaves or nodes when the grid restarts at the seams.
std::uint64_t fold_steps(std::uint64_t items, std::uint64_t addends,
                         const std::vector<Seam>& seams) {
  std::uint64_t steps = 0;
  std::uint64_t from = 0;
  for (const Seam& seam : seams) {
    steps += ceil_div(seam.first - from, addends);
    steps += (seam.count - 1) * ceil_div(seam.step, addends);
    from = seam.first + (seam.count - 1) * seam.step;
  }
  return steps + ceil_div(items - from, addends);
}

class Statistician {
 public:
  /// Of a shape whose parts have been entered.
  void enter(const Shape& shape) {
    done_.emplace(&shape, measure(shape));
    total.shapes += 1;
    total.bytes += sizeof(Shape) + shape.items.runs().capacity() * sizeof(Run) +
                   shape.seams.capacity() * sizeof(Seam);
  }
  Measure of(const Node& node) const {
    return node.kind == Node::Kind::shape ? done_.at(node.shape.get()) : Measure{};
  }

  TreeStatistics total;

 private:
  Measure measure(const Shape& shape) const {
    Measure sum = of(shape.carry);
    std::uint64_t below = 0;  // steps inside the items
    std::uint64_t deepest = 0;
    const bool stepwise = shape.unit && shape.unit->addends == 1;
    bool first = shape.op == Shape::Op::fold && shape.begin == Shape::Begin::first;
    std::uint64_t depth = sum.depth;
    for (const Run& run : shape.items.runs()) {
      const Measure item = of(run.node);
      below += item.steps * run.size();
      deepest = std::max(deepest, item.depth);
      std::uint64_t links = run.size();
      if (first) {  // copied, not added
        depth = item.depth;
        first = false;
        if (--links == 0) continue;
      }
      depth = std::max(depth, item.depth) + links;
    }
    if (shape.op == Shape::Op::round || shape.op == Shape::Op::operand)
      return {below + 1, deepest + 1};
    const std::uint64_t items = shape.items.size();
    if (stepwise || shape.op == Shape::Op::any) {
      const std::uint64_t copied = shape.begin == Shape::Begin::first && items > 0 ? 1 : 0;
      // Any item may come first, the deepest one too; then all other addends are added to it.
      if (shape.op == Shape::Op::any) depth = std::max(sum.depth, deepest) + items - copied;
      return {sum.steps + below + items - copied, depth};
    }
    const std::uint64_t steps =
        fold_steps(items, static_cast<std::uint64_t>(shape.unit->addends), shape.seams);
    return {sum.steps + below + steps, std::max(sum.depth, deepest) + steps};
  }

  std::unordered_map<const Shape*, Measure> done_;
};

}  // namespace

void push_seam(std::vector<Seam>& seams, std::uint64_t position) {
  if (!seams.empty()) {
    Seam& open = seams.back();
    const std::uint64_t last = open.first + open.step * (open.count - 1);
    const std::uint64_t distance = position - last;
    if (distance == 0) return;
    if (open.count == 1 || distance == open.step) {
      open.step = distance;
      ++open.count;
      return;
    }
  }
  seams.push_back(Seam{position});
}

void push_seams(std::vector<Seam>& seams, const Seam& run) {
  for (std::uint64_t i = 0; i < run.count; ++i) {
    push_seam(seams, run.first + i * run.step);
    Seam& open = seams.back();
    if (open.count > 1 && open.step == run.step) {
      open.count += run.count - i - 1;
      return;
    }
  }
}

bool equal(const Shape& a, const Shape& b) {
  return Comparer{}.same(a, b);
}

std::vector<const Shape*> shapes_bottom_up(const Node& root) {
  struct Open {
    const Shape* shape;
    std::size_t parts_done = 0;  // the carry, then the runs
  };
  std::vector<const Shape*> done;
  std::unordered_set<const Shape*> met;
  std::vector<Open> open;
  const auto enter = [&](const Node& node) {
    if (node.kind == Node::Kind::shape && met.insert(node.shape.get()).second)
      open.push_back({node.shape.get()});
  };
  enter(root);
  while (!open.empty()) {
    Open& at = open.back();
    const std::vector<Run>& runs = at.shape->items.runs();
    const std::size_t part = at.parts_done++;
    if (part <= runs.size()) {
      enter(part == 0 ? at.shape->carry : runs[part - 1].node);
      continue;
    }
    done.push_back(at.shape);
    open.pop_back();
  }
  return done;
}

std::uint64_t Tree::hash() const {
  std::uint64_t hash = hash_combine(addends_, static_cast<std::uint64_t>(root_.kind));
  if (root_.shape) hash = hash_combine(hash, root_.shape->hash);
  hash = hash_combine(hash, static_cast<std::uint64_t>(root_.offset));
  return hash_combine(hash, static_cast<std::uint64_t>(root_.stride));
}

TreeStatistics Tree::statistics() const {
  Statistician statistician;
  for (const Shape* shape : shapes_bottom_up(root_)) statistician.enter(*shape);
  const Measure root = statistician.of(root_);
  TreeStatistics result = statistician.total;
  result.leaves = leaf_count(root_);
  result.steps = root.steps;
  result.depth = root.depth;
  return result;
}

bool operator==(const Tree& a, const Tree& b) {
  return a.addends_ == b.addends_ && Comparer{}.same(a.root_, b.root_);
}

}  // namespace whybits
