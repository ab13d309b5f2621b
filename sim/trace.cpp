#include "sim/trace.hpp"

#include <algorithm>

#include "sim/hash.hpp"

namespace whybits {
namespace {

class Recorder {
 public:
  static constexpr bool active = true;

  Recorder(const Leaves& leaves, Trace& trace) : leaves_(leaves), trace_(trace) {}

  Origin step(const Step& step) {
    TraceNode node;
    node.unit = step.unit;
    if (step.conversion) {
      node.conversion = *step.conversion;
      node.is_rounding = step.unit == nullptr;
    }
    node.format = step.result.format;
    node.code = step.result.code;
    const auto name = static_cast<Origin>(trace_.nodes.size());
    Dyadic exact;
    node.accumulator = step.accumulator.origin;
    take(node, step.accumulator, name, exact);
    for (const Value& value : step.values) {
      node.inputs.push_back(value.origin);
      take(node, value, name, exact);
    }
    for (const std::int64_t leaf : step.products) {
      if (leaf < 0) continue;  // padding
      node.inputs.push_back(origin_of_leaf(leaf));
      node.leaves.insert(origin_of_leaf(leaf));
      add_product(node, static_cast<std::size_t>(leaf), exact);
    }
    node.finite = node.finite && unpack(node.format, node.code).finite();
    if (node.finite) node.discarded = Dyadic::from_code(node.format, node.code) - exact;
    trace_.finite = trace_.finite && node.finite;
    trace_.nodes.push_back(std::move(node));
    return name;
  }

 private:
  void take(TraceNode& node, const Value& value, Origin name, Dyadic& exact) {
    if (value.origin >= 0) {
      TraceNode& below = trace_.nodes[static_cast<std::size_t>(value.origin)];
      below.parent = name;
      node.leaves.insert(below.leaves);
    } else if (value.origin != origin_none) {
      node.leaves.insert(value.origin);
    }
    if (!unpack(value.format, value.code).finite())
      node.finite = false;
    else if (node.finite)
      exact += Dyadic::from_code(value.format, value.code);
  }

  void add_product(TraceNode& node, std::size_t leaf, Dyadic& exact) {
    const Format& fa = leaves_.a->format();
    const Format& fb = leaves_.b->format();
    const Bits a = leaves_.a->codes()[leaf];
    const Bits b = leaves_.b->codes()[leaf];
    if (!unpack(fa, a).finite() || !unpack(fb, b).finite())
      node.finite = false;
    else if (node.finite)
      exact += Dyadic::from_code(fa, a) * Dyadic::from_code(fb, b);
  }

  const Leaves& leaves_;
  Trace& trace_;
};

/// The most nodes that one step of any unit in a tree leaves behind.
std::uint64_t widest_step(const Node& root) {
  std::uint64_t widest = 1;
  for (const Shape* shape : shapes_bottom_up(root)) {
    if (!shape->unit) continue;
    const Unit& unit = *shape->unit;
    widest =
        std::max(widest, (unit.inner ? unit.inner->statistics().steps : 1) + (unit.after ? 1 : 0));
  }
  return widest;
}

}  // namespace

void LeafSet::insert(Origin origin) {
  const auto word = static_cast<std::uint64_t>(origin);
  const std::uint64_t add = mix(word);
  low += add;
  high += mix(~word) + (low < add ? 1 : 0);
  if (!is_leaf_origin(origin)) return;
  const std::int64_t leaf = leaf_of_origin(origin);
  first = count == 0 ? leaf : std::min(first, leaf);
  last = std::max(last, leaf);
  ++count;
}

void LeafSet::insert(const LeafSet& other) {
  low += other.low;
  high += other.high + (low < other.low ? 1 : 0);
  if (other.count == 0) return;
  first = count == 0 ? other.first : std::min(first, other.first);
  last = std::max(last, other.last);
  count += other.count;
}

Dyadic Trace::ledger() const {
  Dyadic sum;
  for (const TraceNode& node : nodes) sum += node.discarded;
  return sum;
}

std::uint64_t trace_bytes(const Tree& tree) {
  const TreeStatistics statistics = tree.statistics();
  constexpr std::uint64_t limbs = 64;  // GMP's allocation for a discarded amount
  return statistics.steps * widest_step(tree.root()) * (sizeof(TraceNode) + limbs) +
         statistics.leaves * sizeof(Origin);
}

Trace trace(const Reduction& reduction, const Leaves& leaves) {
  Trace result;
  result.tree = reduction.tree;
  Recorder recorder(leaves, result);
  const Value root = Walk<Recorder>(leaves, recorder).root(reduction.tree, reduction.result);
  result.format = root.format;
  result.result = root.code;
  if (root.origin >= 0)
    result.leaves = result.nodes[static_cast<std::size_t>(root.origin)].leaves;
  else if (root.origin != origin_none)
    result.leaves.insert(root.origin);
  if (!unpack(root.format, root.code).finite()) result.finite = false;
  return result;
}

}  // namespace whybits
