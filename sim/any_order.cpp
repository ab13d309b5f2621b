#include "sim/any_order.hpp"

#include <algorithm>
#include <unordered_set>

#include "sim/walk.hpp"

namespace whybits {
namespace {

constexpr std::size_t most_items = 20;

/// Which shapes have an `any` node below them.
class AnyFinder {
 public:
  explicit AnyFinder(const Node& root) {
    for (const Shape* shape : shapes_bottom_up(root)) {
      bool found = shape->op == Shape::Op::any || below(shape->carry);
      for (const Run& run : shape->items.runs()) found = found || below(run.node);
      if (found) found_.insert(shape);
    }
  }

  bool below(const Node& node) const { return found_.contains(node.shape.get()); }

 private:
  std::unordered_set<const Shape*> found_;
};

/// Values of one format.
struct ValueSet {
  Format format;
  std::set<Bits> codes;
};

class SetWalk {
 public:
  static ValueSet widened(const ValueSet& set, const Format& format) {
    if (set.format == format) return set;  // a NaN keeps its sign and payload
    return mapped(set, format, [&](Bits code) { return convert(set.format, format, code); });
  }

  SetWalk(const Node& root, const Leaves& leaves, std::size_t limit)
      : walk_(leaves, nothing_), leaves_(leaves), limit_(limit), finder_(root), root_(root) {}

  ValueSet results() { return of(root_, 0, 1); }

 private:
  /// Recurses as deep as the tree: the values are combined in functions beside it.
  ValueSet of(const Node& node, std::int64_t offset, std::int64_t stride) {
    if (!finder_.below(node)) return certain(node, offset, stride);
    const Shape& shape = *node.shape;
    offset += stride * node.offset;
    stride *= node.stride;
    std::vector<ValueSet> items(shape.items.size() + (shape.carry.is_empty() ? 0 : 1));
    auto next = items.begin();
    if (!shape.carry.is_empty()) *next++ = of(shape.carry, offset, stride);
    for (const Run& run : shape.items.runs())
      for (std::uint64_t i = 0; i < run.size(); ++i)
        *next++ = of(run.node, offset + stride * (run.at(i).offset - run.node.offset), stride);
    return combined(shape, items);
  }

  /// Of a part without `any`.
  [[gnu::noinline]] ValueSet certain(const Node& node, std::int64_t offset, std::int64_t stride) {
    const Value value = walk_.value(placed(node, offset, stride));
    return {value.format, {value.code}};
  }

  [[gnu::noinline]] ValueSet combined(const Shape& shape, const std::vector<ValueSet>& items) {
    switch (shape.op) {
      case Shape::Op::any:
        return arrivals(*shape.unit, items);
      case Shape::Op::round:
        return mapped(items[0], shape.conversion.to, [&](Bits code) {
          return convert(items[0].format, shape.conversion.to, code, shape.conversion.rule);
        });
      case Shape::Op::operand:
        return operand_added(shape.operand, items[0]);
      case Shape::Op::fold:
        break;
    }
    return folded(shape, items);
  }

  template <class Map>
  static ValueSet mapped(const ValueSet& from, const Format& format, Map map) {
    ValueSet out{format, {}};
    for (const Bits code : from.codes) out.codes.insert(map(code));
    return out;
  }

  ValueSet operand_added(const std::string& name, const ValueSet& sum) {
    const Format& f32 = formats::f32;
    for (const auto& [known, value] : leaves_.operands)
      if (known == name) {
        const Bits operand = convert(value.format, f32, value.code);
        const ValueSet wide = widened(sum, f32);
        return mapped(wide, f32, [&](Bits code) { return add(f32, code, operand); });
      }
    return widened(sum, f32);  // check_types has refused unknown operands
  }

  static Bits after(const Unit& unit, Bits code) {
    return unit.after ? convert(unit.format, unit.after->to, code, unit.after->rule) : code;
  }

  /// What an accumulator becomes when the first item is copied into it.
  static Bits copied(const Unit& unit, Bits code) {
    // The accumulator is kept in the unit's format here; a rounded one widens back exactly.
    return unit.after ? convert(unit.after->to, unit.format, after(unit, code)) : code;
  }

  static Bits stepped(const Unit& unit, Bits acc, Bits item) {
    return copied(unit, add(unit.format, acc, item, unit.rule));
  }

  void check(std::size_t states) const {
    if (states > limit_)
      throw TopologyError("any(…): more than " + std::to_string(limit_) +
                          " partial results; too many "
                          "orders to list");
  }

  ValueSet finished(const Unit& unit, const std::set<Bits>& accumulators) {
    const Format& to = unit.result_format();
    ValueSet out{to, {}};
    for (const Bits code : accumulators)
      out.codes.insert(unit.after ? convert(unit.format, to, code, unit.after->rule) : code);
    return out;
  }

  ValueSet folded(const Shape& shape, const std::vector<ValueSet>& items) {
    const Unit& unit = *shape.unit;
    if (unit.kind != Unit::Kind::add)
      throw TopologyError("any(…) below " + unit_name(unit) + ": its results cannot be listed");
    std::set<Bits> acc;
    std::size_t i = 0;
    if (shape.begin == Shape::Begin::zero) acc.insert(0);
    if (shape.begin == Shape::Begin::c)
      acc.insert(convert(leaves_.c->format, unit.format, leaves_.c->code));
    if (acc.empty())
      for (const Bits code : widened(items[i++], unit.format).codes) acc.insert(copied(unit, code));
    for (; i < items.size(); ++i) {
      std::set<Bits> next;
      for (const Bits item : widened(items[i], unit.format).codes)
        for (const Bits code : acc) next.insert(stepped(unit, code, item));
      acc = std::move(next);
      check(acc.size());
    }
    return finished(unit, acc);
  }

  /// Accumulators reachable with exactly the items of a mask arrived.
  ValueSet arrivals(const Unit& unit, const std::vector<ValueSet>& items) {
    const std::size_t n = items.size();
    if (n > most_items)
      throw TopologyError("any(…) of " + std::to_string(n) + " items: at most " +
                          std::to_string(most_items) + " can be listed");
    std::vector<ValueSet> wide;
    for (const ValueSet& item : items) wide.push_back(widened(item, unit.format));
    std::vector<std::set<Bits>> reached(std::size_t{1} << n);
    std::size_t states = 0;
    for (std::size_t mask = 1; mask < reached.size(); ++mask) {
      std::set<Bits>& here = reached[mask];
      for (std::size_t i = 0; i < n; ++i) {
        if ((mask >> i & 1) == 0) continue;
        const std::size_t before = mask & ~(std::size_t{1} << i);
        for (const Bits item : wide[i].codes) {
          if (before == 0) here.insert(copied(unit, item));
          for (const Bits acc : reached[before]) here.insert(stepped(unit, acc, item));
        }
      }
      states += here.size();
      check(states);
    }
    return finished(unit, reached.back());
  }

  IgnoreSteps nothing_;
  Walk<IgnoreSteps> walk_;
  const Leaves& leaves_;
  std::size_t limit_;
  AnyFinder finder_;
  const Node& root_;
};

}  // namespace

bool has_any_order(const Tree& tree) {
  return AnyFinder(tree.root()).below(tree.root());
}

Bits evaluate_arriving(const Reduction& reduction, const Leaves& leaves,
                       const std::vector<std::uint64_t>& arrival) {
  std::vector<std::uint64_t> sorted = arrival;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (sorted[i] != i)
      throw TopologyError("an order of arrival lists each of 0 … " +
                          std::to_string(sorted.size() - 1) + " once");
  IgnoreSteps nothing;
  Walk<IgnoreSteps> walk(leaves, nothing, &arrival);
  return walk.root(reduction.tree, reduction.result).code;
}

std::set<Bits> possible_results(const Reduction& reduction, const Leaves& leaves,
                                std::size_t limit) {
  if (reduction.tree.root().is_empty()) return {0};
  const ValueSet results = SetWalk(reduction.tree.root(), leaves, limit).results();
  return SetWalk::widened(results, reduction.result).codes;
}

}  // namespace whybits
