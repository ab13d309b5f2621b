#include "exact/error_bound.hpp"

#include <algorithm>
#include <utility>

#include "exact/leaf_sums.hpp"

namespace whybits::exact {
namespace {

/// At least x, with 128 bits. Precondition: x ≥ 0.
Dyadic rounded_up(const Dyadic& x) {
  constexpr std::size_t bits = 128;
  const std::size_t width = mpz_sizeinbase(x.mantissa().get_mpz_t(), 2);
  if (width <= bits) return x;
  const mp_bitcnt_t excess = width - bits;
  return {mpz_class(x.mantissa() >> excess) + 1, x.exponent() + static_cast<long>(excess)};
}

Dyadic times(const Dyadic& a, const Dyadic& b) {
  return rounded_up(a * b);
}
Dyadic plus(const Dyadic& a, const Dyadic& b) {
  return rounded_up(a + b);
}
Dyadic whole(std::uint64_t n) {
  return {mpz_class(static_cast<unsigned long>(n)), 0};
}
Dyadic two_to(long exponent) {
  return {1, exponent};
}

Dyadic power(Dyadic base, std::uint64_t exponent) {
  Dyadic result(1, 0);
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = times(result, base);
    base = times(base, base);
  }
  return result;
}

/// What one step does: φ = growth · max φᵢ, α ≤ growth · (Σ αᵢ + loss).
struct Effect {
  Dyadic growth = Dyadic(1, 0);
  Dyadic loss;

  /// The effect of this and then of another.
  Effect then(const Effect& next) const {
    return {times(growth, next.growth), plus(loss, next.loss)};
  }
};

bool to_nearest(Rounding rounding) {
  return rounding == Rounding::nearest_even || rounding == Rounding::nearest_away;
}
bool flushes_in(Flush flush) {
  return flush == Flush::in || flush == Flush::both;
}
bool flushes_out(Flush flush) {
  return flush == Flush::out || flush == Flush::both;
}

/// 1 + ε of a rounding.
Dyadic growth_of(const Format& format, Rounding rounding) {
  return Dyadic(1, 0) + two_to(to_nearest(rounding) ? -format.precision() : 1 - format.precision());
}

Effect effect_of_add(const Format& format, const RoundRule& rule) {
  Effect effect{growth_of(format, rule.rounding), {}};
  const Dyadic smallest_normal = two_to(format.min_exponent());
  if (flushes_in(rule.flush)) effect.loss += whole(2) * smallest_normal;
  if (flushes_out(rule.flush)) effect.loss += smallest_normal;
  return effect;
}

Effect effect_of_conversion(const Format& from, const Conversion& to) {
  Effect effect;
  if (flushes_in(to.rule.flush)) effect.loss += two_to(from.min_exponent());
  if (flushes_out(to.rule.flush)) effect.loss += two_to(to.to.min_exponent());
  if (widens_exactly(from, to.to)) return effect;
  effect.growth = growth_of(to.to, to.rule.rounding);
  effect.loss += two_to(to.to.quantum_exponent());
  return effect;
}

Effect effect_of_fma(const Format& format, const RoundRule& rule) {
  Effect effect = effect_of_add(format, rule);
  effect.loss += two_to(format.quantum_exponent());
  return effect;
}

Effect effect_of_aligned(const Unit& unit, const Format& a, const Format& b) {
  const AlignedSum& sum = unit.aligned;
  const int fraction = std::max(a.fraction_bits + b.fraction_bits, unit.format.fraction_bits);
  const int cut_terms = sum.fraction_bits >= fraction ? sum.addends : sum.addends + 1;
  Dyadic cut = whole(static_cast<std::uint64_t>(cut_terms)) * two_to(-sum.fraction_bits);
  // Block-scaled products are aligned by exponents of element and scale, which subnormal ones, and
  // small elements of a group, may be below by as many bits as both have fractions.
  if (unit.scale)
    cut = cut * two_to(unit.operand_a->fraction_bits + unit.operand_b->fraction_bits +
                       2 * unit.scale->format.fraction_bits);
  const int least_exponent = std::max(sum.zero_exponent, unit.format.min_exponent());
  return {growth_of(sum.out, sum.rounding) * (Dyadic(1, 0) + cut),
          cut * two_to(least_exponent) + two_to(sum.out.quantum_exponent())};
}

bool overflows_to_finite(const Format& format, const RoundRule& rule) {
  if (rule.overflow == Overflow::saturate || !format.has_nan()) return true;
  return rule.overflow == Overflow::ieee && !to_nearest(rule.rounding);
}

using Uses = std::map<std::string, std::uint64_t>;

/// How often each named operand is added, below a node; shapes are looked at once.
class UseCounter {
 public:
  const Uses& of(const Node& node) {
    static const Uses none;
    if (node.kind != Node::Kind::shape) return none;
    const auto known = known_.find(node.shape.get());
    if (known != known_.end()) return known->second;
    Uses uses;
    if (node.shape->op == Shape::Op::operand) ++uses[node.shape->operand];
    include(uses, of(node.shape->carry), 1);
    for (const Run& run : node.shape->items.runs()) include(uses, of(run.node), run.size());
    return known_.emplace(node.shape.get(), std::move(uses)).first->second;
  }

 private:
  static void include(Uses& uses, const Uses& more, std::uint64_t times) {
    for (const auto& [name, count] : more) uses[name] += times * count;
  }
  std::map<const Shape*, Uses> known_;
};

}  // namespace

/// Walks the shapes of a tree, each once.
class TreeBounder {
 public:
  struct Bound {
    Dyadic factor = Dyadic(1, 0);
    Dyadic absolute;
    Format format;
  };

  TreeBounder(const LeafTypes& types, std::vector<TreeBound::Limit>& limits)
      : types_(types), limits_(limits) {}

  Bound of(const Node& node) { return of(node, nullptr); }

 private:
  /// `c`: what a composite unit hands to its inner tree.
  Bound of(const Node& node, const Bound* c) {
    if (node.kind != Node::Kind::shape) return leaf();
    if (c != nullptr) return of(*node.shape, c);
    const auto known = known_.find(node.shape.get());
    if (known != known_.end()) return known->second;
    return known_.emplace(node.shape.get(), of(*node.shape, c)).first->second;
  }

  Bound leaf() const { return {Dyadic(1, 0), {}, types_.product ? types_.product->to : types_.a}; }

  Bound of(const Shape& shape, const Bound* c) {
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

  static void include(Bound& sum, const Bound& item, std::uint64_t count) {
    sum.factor = std::max(sum.factor, item.factor);
    sum.absolute = plus(sum.absolute, whole(count) * item.absolute);
  }

  /// `count` steps of one effect, after their parts have been included.
  static Bound after(const Bound& parts, std::uint64_t count, const Effect& effect) {
    const Dyadic growth = power(effect.growth, count);
    return {times(growth, parts.factor),
            times(growth, plus(parts.absolute, whole(count) * effect.loss)), parts.format};
  }

  Bound converted(const Bound& value, const Conversion& to) {
    Bound result = after(value, 1, effect_of_conversion(value.format, to));
    result.format = to.to;
    if (overflows_to_finite(to.to, to.rule)) limit(to.to, result);
    return result;
  }

  Bound start(const Shape& shape, const Bound* c) {
    Bound bound{Dyadic(1, 0), {}, shape.unit->format};
    if (shape.begin == Shape::Begin::node) bound = of(shape.carry, c);
    if (shape.begin == Shape::Begin::c && c != nullptr) bound = *c;
    bound.format = shape.unit->format;
    return bound;
  }

  /// The step's own effect and that of the rounding behind it.
  static Effect with_rounding(const Unit& unit, const Effect& step) {
    return unit.after ? step.then(effect_of_conversion(unit.format, *unit.after)) : step;
  }

  Bound finished(const Shape& shape, Bound bound) {
    const Unit& unit = *shape.unit;
    bound.format = unit.result_format();
    if (unit.kind != Unit::Kind::aligned && overflows_to_finite(unit.format, unit.rule))
      limit(unit.format, bound);
    if (unit.after && overflows_to_finite(unit.after->to, unit.after->rule))
      limit(unit.after->to, bound);
    return bound;
  }

  Bound values(const Shape& shape, const Bound* c) {
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

  Bound exactly(const Shape& shape, const Bound* c) {
    Bound sum = start(shape, c);
    for (const Run& run : shape.items.runs()) include(sum, of(run.node, c), run.size());
    sum.format = {11, 60, Specials::ieee};  // in no format: the rounding that follows is one
    return shape.unit->after ? converted(sum, *shape.unit->after) : sum;
  }

  Format operand_format(const std::optional<Format>& of_unit, const Format& of_leaf,
                        const Unit& unit) const {
    if (of_unit) return *of_unit;
    return unit.kind == Unit::Kind::fma ? unit.format : of_leaf;
  }

  Bound products(const Shape& shape, const Bound* c) {
    const Unit& unit = *shape.unit;
    const Format a = operand_format(unit.operand_a, types_.a, unit);
    const Format b = operand_format(unit.operand_b, *types_.b, unit);
    Bound sum = start(shape, c);
    const auto items = static_cast<std::uint64_t>(shape.items.size());
    const auto width = static_cast<std::uint64_t>(unit.addends);
    std::uint64_t steps = (items + width - 1) / width;
    for (const Seam& seam : shape.seams) steps += seam.count;  // each may cost a short step
    if (steps == 0) return finished(shape, sum);
    sum.factor = std::max(sum.factor, product_factor(unit, a, b));
    if (unit.kind == Unit::Kind::composite) return finished(shape, composite(unit, sum, steps));
    const Effect step = unit.kind == Unit::Kind::fma ? effect_of_fma(unit.format, unit.rule)
                                                     : effect_of_aligned(unit, a, b);
    return finished(shape, after(sum, steps, with_rounding(unit, step)));
  }

  /// φ of a product as it enters the unit.
  Dyadic product_factor(const Unit& unit, const Format& a, const Format& b) const {
    Dyadic factor(1, 0);
    for (const auto& [leaf, entered] : {std::pair{types_.a, a}, std::pair{*types_.b, b}})
      if (!widens_exactly(leaf, entered))  // a tf32 unit cuts an f32 word
        factor = factor * (Dyadic(1, 0) + two_to(-entered.fraction_bits));
    // A flushed operand loses the whole product.
    if (unit.kind == Unit::Kind::fma && flushes_in(unit.rule.flush)) factor = factor * whole(2);
    return factor;
  }

  /// A step of the inner tree maps φ of its c to max(K, M·φ) and α to M'·α + η. After the first
  /// step φ is at least K, so that only M counts: found by asking with a very large φ, then α.
  Bound composite(const Unit& unit, const Bound& start, std::uint64_t steps) {
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

  /// Bounds only grow on the way up: the largest of each format is enough.
  void limit(const Format& format, const Bound& bound) {
    for (TreeBound::Limit& known : limits_)
      if (known.format == format) {
        known.factor = std::max(known.factor, bound.factor);
        known.absolute = std::max(known.absolute, bound.absolute);
        return;
      }
    limits_.push_back({format, bound.factor, bound.absolute});
  }

  const LeafTypes& types_;
  std::vector<TreeBound::Limit>& limits_;
  std::map<const Shape*, Bound> known_;
};

TreeBound::TreeBound(const Tree& tree, const LeafTypes& types) {
  if (tree.root().is_empty()) return;
  TreeBounder bounder(types, limits_);
  const TreeBounder::Bound root = bounder.of(tree.root());
  factor_ = root.factor;
  absolute_ = root.absolute;
  Node node = tree.root();
  while (node.kind == Node::Kind::shape && node.shape->op == Shape::Op::round) {
    const Node inner = node.shape->items.at(0);
    const Effect effect = effect_of_conversion(bounder.of(inner).format, node.shape->conversion);
    endings_.push_back({effect.growth, effect.loss});
    node = inner;
  }
  const TreeBounder::Bound before = bounder.of(node);
  factor_before_ = before.factor;
  absolute_before_ = before.absolute;
  operand_uses_ = UseCounter().of(tree.root());
}

std::optional<Dyadic> TreeBound::magnitude(const Leaves& leaves) const {
  std::optional<Dyadic> magnitude = aligned_magnitude(leaves);
  if (!magnitude) return std::nullopt;
  for (const auto& [name, operand] : leaves.operands) {
    const auto uses = operand_uses_.find(name);
    if (uses != operand_uses_.end() && uses->second > 1)
      *magnitude += whole(uses->second - 1) * Dyadic::from_code(operand.format, operand.code).abs();
  }
  for (const Limit& limit : limits_) {
    const Dyadic largest = Dyadic::from_code(limit.format, limit.format.max_finite());
    if (largest < limit.factor * *magnitude + limit.absolute) return std::nullopt;
  }
  return magnitude;
}

std::optional<Dyadic> TreeBound::of(const Leaves& leaves) const {
  const std::optional<Dyadic> size = magnitude(leaves);
  if (!size) return std::nullopt;
  return (factor_ - Dyadic(1, 0)) * *size + absolute_;
}

std::optional<Dyadic> TreeBound::of(const Leaves& leaves, const Dyadic& exact) const {
  const std::optional<Dyadic> size = magnitude(leaves);
  if (!size) return std::nullopt;
  Dyadic bound = (factor_before_ - Dyadic(1, 0)) * *size + absolute_before_;
  // |round(v̂) − v| ≤ |v̂ − v| + ε·|v̂| + η and |v̂| ≤ |v| + |v̂ − v|.
  for (auto ending = endings_.rbegin(); ending != endings_.rend(); ++ending)
    bound = ending->growth * (bound + ending->loss) + (ending->growth - Dyadic(1, 0)) * exact.abs();
  return bound;
}

LedgerTotals ledger_totals(const Trace& trace) {
  LedgerTotals totals;
  for (const TraceNode& node : trace.nodes) {
    if (node.discarded.is_zero()) continue;
    ++totals.inexact;
    totals.net += node.discarded;
    totals.magnitude += node.discarded.abs();
    const Dyadic exact = Dyadic::from_code(node.format, node.code) - node.discarded;
    if (exact.sign() != 0 && exact.sign() != node.discarded.sign()) ++totals.toward_zero;
  }
  return totals;
}

}  // namespace whybits::exact
