#include "exact/tree_bounder.hpp"

#include <algorithm>
#include <utility>

#include "sim/ceil_div.hpp"

namespace whybits::exact {

TreeBounder::TreeBounder(const Node& root, const LeafTypes& types,
                         std::vector<TreeBound::Limit>& limits)
    : types_(types), limits_(limits) {
  for (const Shape* shape : shapes_bottom_up(root)) known_.emplace(shape, of(*shape, nullptr));
}

TreeBounder::Bound TreeBounder::of(const Node& node, const Bound* c) {
  if (node.kind != Node::Kind::shape) return leaf();
  if (c != nullptr) return of(*node.shape, c);
  const auto known = known_.find(node.shape.get());
  if (known != known_.end()) return known->second;
  return known_.emplace(node.shape.get(), of(*node.shape, c)).first->second;
}

TreeBounder::Bound TreeBounder::leaf() const {
  return {Dyadic(1, 0), {}, types_.product ? types_.product->to : types_.a};
}

TreeBounder::Bound TreeBounder::of(const Shape& shape, const Bound* c) {
  switch (shape.op) {
    case Shape::Op::round:
      return converted(of(shape.items.at(0), c), shape.conversion);
    case Shape::Op::operand: {
      const Bound sum = shape.items.empty() ? Bound{} : of(shape.items.at(0), c);
      Bound result = after(sum, 1, effect_of_add(formats::f32, {}));
      result.format = formats::f32;
      return result;
    }
    case Shape::Op::fold:
    case Shape::Op::any:
      break;
  }
  return shape.unit->kind == Unit::Kind::add     ? values(shape, c)
         : shape.unit->kind == Unit::Kind::exact ? exactly(shape, c)
                                                 : products(shape, c);
}

void TreeBounder::include(Bound& sum, const Bound& item, std::uint64_t count) {
  sum.factor = std::max(sum.factor, item.factor);
  sum.absolute = plus(sum.absolute, whole(count) * item.absolute);
}

TreeBounder::Bound TreeBounder::after(const Bound& parts, std::uint64_t count,
                                      const Effect& effect) {
  const Dyadic growth = power(effect.growth, count);
  return {times(growth, parts.factor),
          times(growth, plus(parts.absolute, whole(count) * effect.loss)), parts.format};
}

TreeBounder::Bound TreeBounder::converted(const Bound& value, const Conversion& to) {
  Bound result = after(value, 1, effect_of_conversion(value.format, to));
  result.format = to.to;
  if (overflows_to_finite(to.to, to.rule)) limit(to.to, result);
  return result;
}

TreeBounder::Bound TreeBounder::start(const Shape& shape, const Bound* c) {
  Bound bound{Dyadic(1, 0), {}, shape.unit->format};
  if (shape.begin == Shape::Begin::node) bound = of(shape.carry, c);
  if (shape.begin == Shape::Begin::c && c != nullptr) bound = *c;
  bound.format = shape.unit->format;
  return bound;
}

Effect TreeBounder::with_rounding(const Unit& unit, const Effect& step) {
  return unit.after ? step.then(effect_of_conversion(unit.format, *unit.after)) : step;
}

TreeBounder::Bound TreeBounder::finished(const Shape& shape, Bound bound) {
  const Unit& unit = *shape.unit;
  bound.format = unit.result_format();
  if (unit.kind != Unit::Kind::aligned && overflows_to_finite(unit.format, unit.rule))
    limit(unit.format, bound);
  if (unit.after && overflows_to_finite(unit.after->to, unit.after->rule))
    limit(unit.after->to, bound);
  return bound;
}

TreeBounder::Bound TreeBounder::values(const Shape& shape, const Bound* c) {
  const Unit& unit = *shape.unit;
  const Effect step = with_rounding(unit, effect_of_add(unit.format, unit.rule));
  Bound sum = start(shape, c);
  bool copy = shape.begin == Shape::Begin::first;
  for (const Run& run : shape.items.runs()) {
    const Bound item = of(run.node, c);
    std::uint64_t count = run.size();
    include(sum, item, count);
    if (copy) {
      if (unit.after) sum = after(sum, 1, effect_of_conversion(item.format, *unit.after));
      --count;
      copy = false;
    }
    sum = after(sum, count, step);
  }
  return finished(shape, sum);
}

TreeBounder::Bound TreeBounder::exactly(const Shape& shape, const Bound* c) {
  Bound sum = start(shape, c);
  for (const Run& run : shape.items.runs()) include(sum, of(run.node, c), run.size());
  sum.format = {11, 60, Specials::ieee};  // in no format: the rounding that follows is one
  return shape.unit->after ? converted(sum, *shape.unit->after) : sum;
}

Format TreeBounder::operand_format(const std::optional<Format>& of_unit, const Format& of_leaf,
                                   const Unit& unit) const {
  if (of_unit) return *of_unit;
  return unit.kind == Unit::Kind::fma ? unit.format : of_leaf;
}

TreeBounder::Bound TreeBounder::products(const Shape& shape, const Bound* c) {
  const Unit& unit = *shape.unit;
  const Format a = operand_format(unit.operand_a, types_.a, unit);
  const Format b = operand_format(unit.operand_b, *types_.b, unit);
  Bound sum = start(shape, c);
  const auto items = static_cast<std::uint64_t>(shape.items.size());
  const auto width = static_cast<std::uint64_t>(unit.addends);
  std::uint64_t steps = ceil_div(items, width);
  for (const Seam& seam : shape.seams) steps += seam.count;  // each may cost a short step
  if (steps == 0) return finished(shape, sum);
  sum.factor = std::max(sum.factor, product_factor(unit, a, b));
  if (unit.kind == Unit::Kind::composite) return finished(shape, composite(unit, sum, steps));
  const Effect step = unit.kind == Unit::Kind::fma ? effect_of_fma(unit.format, unit.rule)
                                                   : effect_of_aligned(unit, a, b);
  return finished(shape, after(sum, steps, with_rounding(unit, step)));
}

Dyadic TreeBounder::product_factor(const Unit& unit, const Format& a, const Format& b) const {
  Dyadic factor(1, 0);
  for (const auto& [leaf, entered] : {std::pair{types_.a, a}, std::pair{*types_.b, b}})
    if (!widens_exactly(leaf, entered))  // a tf32 unit cuts an f32 word
      factor = factor * (Dyadic(1, 0) + two_to(-entered.fraction_bits));
  // A flushed operand loses the whole product.
  if (unit.kind == Unit::Kind::fma && flushes_in(unit.rule.flush)) factor = factor * whole(2);
  return factor;
}

TreeBounder::Bound TreeBounder::composite(const Unit& unit, const Bound& start,
                                          std::uint64_t steps) {
  const Dyadic large = two_to(4096);
  const auto step = [&](const Bound& c) {
    Bound result = of(unit.inner->root(), &c);
    return unit.after ? converted(result, *unit.after) : result;
  };
  if (steps == 1) return step(start);
  const std::vector<TreeBound::Limit> kept = limits_;
  const Bound first = step(start);
  const auto share_of_large = [&](const Dyadic& x) { return rounded_up(x * two_to(-4096)); };
  const Dyadic growth = share_of_large(step({large, {}, start.format}).factor);
  const Dyadic loss = step({Dyadic(1, 0), {}, start.format}).absolute;
  const Dyadic carried = share_of_large(step({Dyadic(1, 0), large, start.format}).absolute);
  limits_ = kept;
  const std::uint64_t more = steps - 2;  // between the first step and the last
  return step({times(power(growth, more), first.factor),
               times(power(carried, more), plus(first.absolute, whole(more) * loss)),
               first.format});
}

void TreeBounder::limit(const Format& format, const Bound& bound) {
  for (TreeBound::Limit& known : limits_)
    if (known.format == format) {
      known.factor = std::max(known.factor, bound.factor);
      known.absolute = std::max(known.absolute, bound.absolute);
      return;
    }
  limits_.push_back({format, bound.factor, bound.absolute});
}

}  // namespace whybits::exact
