#include "sim/shape_pool.hpp"

#include <algorithm>
#include <utility>

#include "sim/expand.hpp"
#include "sim/hash.hpp"

namespace whybits {
namespace {

std::uint64_t hash_node(std::uint64_t seed, const Node& node) {
  seed = hash_combine(seed, static_cast<std::uint64_t>(node.kind));
  if (node.shape) seed = hash_combine(seed, node.shape->hash);
  seed = hash_combine(seed, static_cast<std::uint64_t>(node.offset));
  return hash_combine(seed, static_cast<std::uint64_t>(node.stride));
}

std::uint64_t hash_shape(const Shape& shape) {
  std::uint64_t hash =
      hash_combine(static_cast<std::uint64_t>(shape.op), static_cast<std::uint64_t>(shape.begin));
  if (shape.unit) hash = hash_combine(hash, shape.unit->hash());
  hash = hash_node(hash, shape.carry);
  for (const Run& run : shape.items.runs()) {
    hash = hash_node(hash, run.node);
    hash = hash_combine(hash, static_cast<std::uint64_t>(run.step));
    hash = hash_combine(hash, run.count);
    hash = hash_combine(hash, static_cast<std::uint64_t>(run.repeat_step));
    hash = hash_combine(hash, run.repeats);
  }
  for (const Seam& seam : shape.seams)
    hash = hash_combine(hash_combine(hash_combine(hash, seam.first), seam.step), seam.count);
  if (shape.op == Shape::Op::round)
    hash = hash_combine(hash, hash_text(conversion_name(shape.conversion)));
  if (shape.op == Shape::Op::operand) hash = hash_combine(hash, hash_text(shape.operand));
  return hash;
}

std::uint64_t count_leaves(const Items& items) {
  std::uint64_t leaves = 0;
  for (const Run& run : items.runs()) leaves += leaf_count(run.node) * run.size();
  return leaves;
}

std::uint32_t height(const Node& node) {
  return node.shape ? node.shape->height : 0;
}

/// The fold that a node is, if it is one by the same unit in a fixed order.
const Shape* fold_by(const Node& node, const Unit& unit) {
  if (node.kind != Node::Kind::shape || node.shape->op != Shape::Op::fold) return nullptr;
  return node.shape->unit->same_arithmetic(unit) ? node.shape.get() : nullptr;
}

/// Does a node's last act round it in just this way? Doing it again would change nothing.
bool is_rounded(const Node& node, const Conversion& conversion) {
  if (node.kind != Node::Kind::shape) return false;
  const Shape& shape = *node.shape;
  if (shape.op == Shape::Op::round) return shape.conversion == conversion;
  return shape.unit && shape.unit->after && *shape.unit->after == conversion;
}

std::uint64_t last_seam(const std::vector<Seam>& seams) {
  return seams.empty() ? 0 : seams.back().first + seams.back().step * (seams.back().count - 1);
}

/// Keeps the seams that are off the unit's step grid and have items behind them.
std::vector<Seam> canonical_seams(const std::vector<Seam>& seams, std::uint64_t addends,
                                  std::uint64_t items) {
  std::vector<Seam> out;
  if (addends == 1) return out;
  for (const Seam& seam : seams) {
    if (seam.first >= items) break;
    std::uint64_t count =
        seam.step == 0 ? 1 : std::min(seam.count, (items - seam.first - 1) / seam.step + 1);
    // On the grid, the first falls away; then the others are as far off as they are apart.
    const bool first_kept = (seam.first - last_seam(out)) % addends != 0;
    const bool others_kept = seam.step % addends != 0;
    if (first_kept && others_kept)
      push_seams(out, {seam.first, seam.step, count});
    else if (first_kept)
      push_seam(out, seam.first);
    else if (others_kept && count > 1)
      push_seams(out, {seam.first + seam.step, seam.step, count - 1});
  }
  return out;
}

}  // namespace

std::shared_ptr<const Unit> ShapePool::intern(const Unit& unit) {
  const std::uint64_t hash = unit.hash();
  const auto [begin, end] = units_.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (it->second->same_arithmetic(unit)) return it->second;
  return units_.emplace(hash, std::make_shared<const Unit>(unit))->second;
}

Node ShapePool::intern(Shape shape) {
  Lattice lattice;
  lattice.include(shape.carry);
  lattice.include(shape.items);
  const std::int64_t divisor = std::max<std::int64_t>(lattice.divisor, 1);
  shape.carry = localised(shape.carry, lattice.base, divisor);
  shape.items = shape.items.localised(lattice.base, divisor);
  shape.leaves = count_leaves(shape.items) + leaf_count(shape.carry);
  shape.extent =
      lattice.any ? static_cast<std::uint64_t>((lattice.last - lattice.base) / divisor) + 1 : 0;
  shape.hash = hash_shape(shape);
  shape.height = 1 + height(shape.carry);
  for (const Run& run : shape.items.runs())
    shape.height = std::max(shape.height, 1 + height(run.node));
  if (shape.height > max_height)
    throw TopologyError("sums nest deeper than " + std::to_string(max_height) +
                        " levels: a chain over pieces that are not one fold (they round, or add an "
                        "operand) nests with every piece; choose fewer pieces");

  const auto [begin, end] = shapes_.equal_range(shape.hash);
  ShapeRef found;
  for (auto it = begin; it != end && !found; ++it)
    if (equal(*it->second, shape)) found = it->second;
  if (!found) {
    const std::uint64_t size = 1 + shape.items.runs().size() + shape.seams.size();
    if (size > capacity_)
      throw TopologyError("the tree has too many different subtrees to be held in memory");
    capacity_ -= size;
    found = std::make_shared<const Shape>(std::move(shape));
    shapes_.emplace(found->hash, found);
  }
  return Node{Node::Kind::shape, found, lattice.base, found->extent > 1 ? divisor : 1};
}

Node ShapePool::fold(const Unit& unit, Shape::Begin begin, const Node& carry, Items items,
                     std::vector<Seam> seams) {
  using Begin = Shape::Begin;
  if (items.has_empty()) items = items.without_empty();
  const bool copies_first = unit.kind == Unit::Kind::add;
  Node start = carry;
  if (begin == Begin::node && start.is_empty()) begin = copies_first ? Begin::first : Begin::zero;
  if (begin == Begin::node && copies_first) {  // acc + x is a fold that begins with acc
    Items all;
    all.push(start);
    all.append(items);
    items = std::move(all);
    start = {};
    begin = Begin::first;
  }
  if (items.empty()) {  // what it starts from is the sum, in the format that is owed
    if (begin == Begin::zero || begin == Begin::first) return {};
    if (!unit.after && begin == Begin::node) return start;
    if (unit.after) {
      Unit plain = unit;
      plain.after.reset();
      return round(fold(plain, begin, start, {}), *unit.after);
    }
  }
  if (begin == Begin::first) {  // with a rounding after every step the copy is rounded too
    const Node copy = unit.after ? round(items.at(0), *unit.after) : items.at(0);
    if (items.size() == 1) return copy;
    if (unit.after) {
      Items all;
      all.push(copy);
      all.append(items.range(1, items.size() - 1));
      items = std::move(all);
    }
  }

  // A fold that begins with a fold by the same unit continues it.
  const Node head = begin == Begin::node ? start : begin == Begin::first ? items.at(0) : Node{};
  if (const Shape* before = fold_by(head, unit)) {
    Items all = before->items.placed(head.offset, head.stride);
    const std::uint64_t done = all.size();
    std::vector<Seam> joined = before->seams;
    push_seam(joined, done);
    for (const Seam& seam : seams) push_seams(joined, {done + seam.first, seam.step, seam.count});
    all.append(begin == Begin::first ? items.range(1, items.size() - 1) : items);
    start = placed(before->carry, head.offset, head.stride);
    begin = before->begin;
    items = std::move(all);
    seams = std::move(joined);
  }
  Shape shape;
  shape.op = Shape::Op::fold;
  shape.begin = begin;
  shape.unit = intern(unit);
  shape.carry = start;
  shape.seams = canonical_seams(seams, static_cast<std::uint64_t>(unit.addends), items.size());
  shape.items = std::move(items);
  return intern(std::move(shape));
}

Node ShapePool::combine(const Unit& unit, const Node& a, const Node& b) {
  if (a.is_empty()) return b;
  if (b.is_empty()) return a;
  Items both;
  both.push(a);
  both.push(b);
  if (!unit.after) return fold(unit, Shape::Begin::first, {}, std::move(both));
  // A fold would round its first addend to the accumulator's format; a pair only its sum.
  Unit plain = unit;
  plain.after.reset();
  return round(fold(plain, Shape::Begin::first, {}, std::move(both)), *unit.after);
}

Node ShapePool::any_order(const Unit& unit, Items items) {
  if (items.has_empty()) items = items.without_empty();
  if (items.size() < 2 || (items.size() == 2 && !unit.after))
    return fold(unit, Shape::Begin::first, {}, std::move(items));
  Shape shape;
  shape.op = Shape::Op::any;
  shape.unit = intern(unit);
  shape.items = std::move(items);
  return intern(std::move(shape));
}

Node ShapePool::round(const Node& node, const Conversion& conversion) {
  if (node.is_empty() || is_rounded(node, conversion)) return node;
  Shape shape;
  shape.op = Shape::Op::round;
  shape.conversion = conversion;
  shape.items.push(node);
  return intern(std::move(shape));
}

Node ShapePool::add_operand(const Node& node, const std::string& operand) {
  Shape shape;
  shape.op = Shape::Op::operand;
  shape.operand = operand;
  if (!node.is_empty()) shape.items.push(node);
  return intern(std::move(shape));
}

}  // namespace whybits
