// The one walk over a tree: evaluates it on leaves and tells an observer of every step. The
// reference evaluator walks with an observer that ignores everything, the trace with one that
// keeps everything.
//
// An observer has
//   static constexpr bool active;   false: the walk does not collect what it would report
//   std::int64_t step(const Step&); called after each unit step and rounding, returns a name for
//                                   the value (≥ 0) under which later steps refer to it
// and may have
//   Bits combine(const Format&, Bits a, Bits b) const; in place of every IEEE add
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "sim/aligned_step.hpp"
#include "sim/arith.hpp"
#include "sim/dyadic.hpp"
#include "sim/reduction.hpp"

namespace whybits {

/// Where a value comes from: a step (its name), a leaf, the operand c, a named operand, or nowhere.
using Origin = std::int64_t;
constexpr Origin origin_none = -1;
constexpr Origin origin_c = std::numeric_limits<std::int64_t>::min();
constexpr Origin origin_operand = origin_c + 1;
constexpr Origin origin_of_leaf(std::int64_t leaf) {
  return -2 - leaf;
}
constexpr bool is_leaf_origin(Origin origin) {
  return origin <= -2 && origin > origin_operand;
}
constexpr std::int64_t leaf_of_origin(Origin origin) {
  return -2 - origin;
}

struct Value {
  Format format;
  Bits code = 0;
  Origin origin = origin_none;
};

struct Step {
  const Unit* unit = nullptr;              ///< null: a written rounding, or an operand added
  const Conversion* conversion = nullptr;  ///< the rounding, if that is what it is
  Value accumulator;                       ///< origin_none: there was none, or it was +0
  std::span<const Value> values;           ///< addends that are values
  std::span<const std::int64_t> products;  ///< leaves whose products were added; −1 is padding
  Value result;
};

struct IgnoreSteps {
  static constexpr bool active = false;
  Origin step(const Step&) { return origin_none; }
};

template <class Observer>
class Walk {
 public:
  /// `arrival`: in which order the items of every `any` node come; null: in index order.
  Walk(const Leaves& leaves, Observer& observer,
       const std::vector<std::uint64_t>* arrival = nullptr)
      : leaves_(leaves), observer_(observer), arrival_(arrival) {}

  /// The value of a part of a tree.
  Value value(const Node& part) { return node(part, 0, Place{}, Frame{}); }

  Value root(const Tree& tree, const Format& result) {
    if (tree.root().is_empty()) return {result, 0};
    return widened(value(tree.root()), result);
  }

 private:
  /// What a composite unit changes for the walk through its inner tree.
  struct Frame {
    const std::int64_t* remap =
        nullptr;  ///< leaf number → leaf of the computation, −1: zero product
    const Value* c = nullptr;
  };

  /// Where a shape's leaves lie among those of the computation: leaf j at offset + stride · j.
  struct Place {
    std::int64_t offset = 0;
    std::int64_t stride = 1;
  };

  static Value widened(Value value, const Format& format) {
    if (!(value.format == format)) value.code = convert(value.format, format, value.code);
    value.format = format;
    return value;
  }

  std::int64_t leaf_number(std::int64_t leaf, const Frame& frame) const {
    return frame.remap ? frame.remap[leaf] : leaf;
  }

  Value leaf_value(std::int64_t leaf) const {
    const auto i = static_cast<std::size_t>(leaf);
    if (leaves_.b) return {leaves_.product->to, rounded_product(leaves_, i), origin_of_leaf(leaf)};
    return {leaves_.a->format(), leaves_.a->codes()[i], origin_of_leaf(leaf)};
  }

  /// A node `move` leaves further than it says, inside a shape at `at`.
  ///
  /// This and what it calls on the way down to it nest as deep as the tree (ShapePool::max_height):
  /// no strings, containers or copies of nodes live in them, the work is in functions beside them.
  Value node(const Node& node, std::int64_t move, const Place& at, const Frame& frame) {
    const std::int64_t offset = at.offset + at.stride * (node.offset + move);
    if (node.is_leaf()) return leaf_value(leaf_number(offset, frame));
    return shape(*node.shape, {offset, at.stride * node.stride}, frame);
  }

  Value shape(const Shape& shape, const Place& at, const Frame& frame) {
    switch (shape.op) {
      case Shape::Op::round:
        return rounded(shape, at, frame);
      case Shape::Op::operand:
        return operand_added(shape, at, frame);
      case Shape::Op::any:
      case Shape::Op::fold:
        break;
    }
    switch (shape.unit->kind) {
      case Unit::Kind::add:
        return fold_values(shape, at, frame);
      case Unit::Kind::exact:
        return rounded_exact(shape, at, frame, *shape.unit->after);
      case Unit::Kind::fma:
      case Unit::Kind::aligned:
      case Unit::Kind::composite:
        break;
    }
    return add_products(shape, at, frame, start_of(shape, at, frame));
  }

  /// Rounds after a step if the unit says so, and reports the step.
  Value finish(const Unit& unit, const Value& acc, std::span<const Value> values,
               std::span<const std::int64_t> products, Bits code) {
    Value result{unit.format, code};
    Step step{&unit, nullptr, acc, values, products, result};
    if constexpr (Observer::active) step.result.origin = result.origin = observer_.step(step);
    if (unit.after) result = convert_reported(result, *unit.after);
    return result;
  }

  [[gnu::noinline]] Value convert_reported(const Value& value, const Conversion& to) {
    Value result{to.to, convert(value.format, to.to, value.code, to.rule)};
    if (is_identity(value.format, to)) {
      result.origin = value.origin;  // is no step
      return result;
    }
    if constexpr (Observer::active)
      result.origin =
          observer_.step({nullptr, &to, {}, std::span<const Value>(&value, 1), {}, result});
    return result;
  }

  [[gnu::noinline]] Value start_of(const Shape& shape, const Place& at, const Frame& frame) {
    if (shape.begin == Shape::Begin::node)
      return widened(node(shape.carry, 0, at, frame), shape.unit->format);
    return own_start(shape, frame);
  }

  [[gnu::noinline]] Value own_start(const Shape& shape, const Frame& frame) const {
    const Format& format = shape.unit->format;
    if (shape.begin != Shape::Begin::c) return {format, 0};
    if (frame.c) return widened(*frame.c, format);
    return widened({leaves_.c->format, leaves_.c->code, origin_c}, format);
  }

  [[gnu::noinline]] Value fold_values(const Shape& shape, const Place& at, const Frame& frame) {
    if (shape.op == Shape::Op::any && arrival_) return fold_arriving(shape, at, frame);
    Value acc = start_of(shape, at, frame);
    bool copy = shape.begin == Shape::Begin::first;
    for (const Run& run : shape.items.runs())
      for (std::uint64_t r = 0; r < run.repeats; ++r)
        for (std::uint64_t i = 0; i < run.count; ++i) {
          const std::int64_t move = static_cast<std::int64_t>(r) * run.repeat_step +
                                    static_cast<std::int64_t>(i) * run.step;
          take(acc, *shape.unit, node(run.node, move, at, frame), copy);
        }
    return acc;
  }

  Value fold_arriving(const Shape& shape, const Place& at, const Frame& frame) {
    require_arrival(shape);
    Value acc = start_of(shape, at, frame);
    bool copy = shape.begin == Shape::Begin::first;
    for (const std::uint64_t item : *arrival_)
      take(acc, *shape.unit, node(shape.items.at(item), 0, at, frame), copy);
    return acc;
  }

  [[gnu::noinline]] void require_arrival(const Shape& shape) const {
    if (arrival_->size() != shape.items.size())
      throw TopologyError("the order of arrival lists " + std::to_string(arrival_->size()) +
                          " items, but any(…) has " + std::to_string(shape.items.size()));
  }

  /// `copy`: of the first item, which is no step.
  [[gnu::noinline]] void take(Value& acc, const Unit& unit, const Value& item, bool& copy) {
    acc = value_step(unit, acc, item, copy);
    copy = false;
  }

  Value value_step(const Unit& unit, const Value& acc, const Value& item, bool copy) {
    // With a rounding after every step the accumulator lives in its format from the start.
    if (copy) return unit.after ? convert_reported(item, *unit.after) : item;
    const Bits a = widened(acc, unit.format).code;
    const Bits b = widened(item, unit.format).code;
    return finish(unit, acc, std::span<const Value>(&item, 1), {}, combined(unit, a, b));
  }

  Bits combined(const Unit& unit, Bits a, Bits b) const {
    if constexpr (requires { observer_.combine(unit.format, a, b); })
      return observer_.combine(unit.format, a, b);
    else
      return add(unit.format, a, b, unit.rule);
  }

  // --- products --------------------------------------------------------------------------------
  /// Operand formats of a unit on these leaves: its own, or those of the operands.
  const Unit* resolved(const Unit* unit) {
    // A sum of no products may stand over single addends: there is nothing to resolve it by.
    if (unit->operand_a || !leaves_.b) return unit;
    auto found = resolved_.find(unit);
    if (found == resolved_.end()) {
      found = resolved_.emplace(unit, *unit).first;
      const bool fma = unit->kind == Unit::Kind::fma;
      found->second.operand_a = fma ? unit->format : leaves_.a->format();
      found->second.operand_b = fma ? unit->format : leaves_.b->format();
    }
    return &found->second;
  }

  /// The steps of a fold of products; `acc` is what it starts from.
  [[gnu::noinline]] Value add_products(const Shape& shape, const Place& at, const Frame& frame,
                                       Value acc) {
    const Unit& unit = *resolved(shape.unit.get());
    const auto width = static_cast<std::size_t>(unit.addends);
    std::size_t seam_run = 0;
    std::uint64_t seam_index = 0;
    const auto next_seam = [&]() -> std::uint64_t {
      if (seam_run == shape.seams.size()) return shape.items.size();
      return shape.seams[seam_run].first + seam_index * shape.seams[seam_run].step;
    };
    const auto pass_seam = [&] {
      if (++seam_index == shape.seams[seam_run].count) {
        ++seam_run;
        seam_index = 0;
      }
    };
    std::vector<std::int64_t> step;  // leaves of the step being filled
    step.reserve(width);
    std::uint64_t done = 0;
    for (const Run& run : shape.items.runs())
      for (std::uint64_t r = 0; r < run.repeats; ++r) {
        const std::int64_t first =
            at.offset +
            at.stride * (run.node.offset + static_cast<std::int64_t>(r) * run.repeat_step);
        const std::int64_t distance = at.stride * run.step;
        for (std::uint64_t i = 0; i < run.count;) {
          const std::uint64_t border = next_seam();
          const std::int64_t leaf = first + static_cast<std::int64_t>(i) * distance;
          // A whole step of equally spaced leaves is read in place.
          if (step.empty() && !Observer::active && !frame.remap &&
              unit.kind == Unit::Kind::aligned && run.count - i >= width &&
              border - done >= width) {
            acc = widened(acc, unit.format);
            acc = finish(*shape.unit, acc, {}, {}, aligned(unit, acc.code, leaf, distance));
            i += width;
            done += width;
          } else {
            step.push_back(leaf_number(leaf, frame));
            ++i;
            ++done;
            if (step.size() < width && done < border) continue;
            acc = product_step(*shape.unit, acc, step);
            step.clear();
          }
          if (done == border && seam_run < shape.seams.size()) pass_seam();
        }
      }
    return acc;
  }

  Bits aligned(const Unit& unit, Bits acc, std::int64_t first, std::int64_t distance) const {
    return aligned_step(unit, acc, terms(unit, *leaves_.a, *unit.operand_a).data() + first,
                        terms(unit, *leaves_.b, *unit.operand_b).data() + first, distance,
                        unit.addends);
  }

  static std::span<const Term> terms(const Unit& unit, const OperandVector& operand,
                                     const Format& format) {
    return unit.scale ? operand.block_terms(unit.aligned.group > 0) : operand.terms(format);
  }

  Value product_step(const Unit& named, const Value& start, std::span<const std::int64_t> step) {
    const Unit& unit = *resolved(&named);
    const Value acc = widened(start, unit.format);
    if (unit.kind == Unit::Kind::composite) return composite(unit, acc, step);
    if (unit.kind == Unit::Kind::fma) {
      const auto i = static_cast<std::size_t>(step[0]);
      const auto entered = [&](const OperandVector& v, const Format& format) {
        const Bits code = enter_operand(v.format(), format, v.codes()[i]);
        // A conversion would make NaN canonical.
        return format == unit.format ? code : convert(format, unit.format, code);
      };
      const Bits code = fma(unit.format, entered(*leaves_.a, *unit.operand_a),
                            entered(*leaves_.b, *unit.operand_b), acc.code, unit.rule);
      return finish(named, acc, {}, step, code);
    }
    const std::span<const Term> a = terms(unit, *leaves_.a, *unit.operand_a);
    const std::span<const Term> b = terms(unit, *leaves_.b, *unit.operand_b);
    std::vector<Term> x(step.size());
    std::vector<Term> y(step.size());
    for (std::size_t i = 0; i < step.size(); ++i)
      if (step[i] >= 0) {  // else a zero product
        x[i] = a[static_cast<std::size_t>(step[i])];
        y[i] = b[static_cast<std::size_t>(step[i])];
      }
    const Bits code =
        aligned_step(unit, acc.code, x.data(), y.data(), 1, static_cast<int>(step.size()));
    return finish(named, acc, {}, step, code);
  }

  /// The inner tree of a unit, over the leaves of this step and zero products.
  Value composite(const Unit& unit, const Value& acc, std::span<const std::int64_t> step) {
    std::vector<std::int64_t> remap(static_cast<std::size_t>(unit.addends), -1);
    std::copy(step.begin(), step.end(), remap.begin());
    const Frame inner{remap.data(), &acc};
    Value result = widened(node(unit.inner->root(), 0, Place{}, inner), unit.format);
    if (unit.after) result = convert_reported(result, *unit.after);
    return result;
  }

  // --- exact sums and written roundings --------------------------------------------------------
  bool is_exact_fold(const Node& node) const {
    return node.kind == Node::Kind::shape && node.shape->op == Shape::Op::fold &&
           node.shape->unit->kind == Unit::Kind::exact && !node.shape->unit->after;
  }

  [[gnu::noinline]] Value rounded(const Shape& shape, const Place& at, const Frame& frame) {
    const Node& item = shape.items.runs()[0].node;
    if (is_exact_fold(item))
      return rounded_exact(*item.shape,
                           {at.offset + at.stride * item.offset, at.stride * item.stride}, frame,
                           shape.conversion);
    return convert_reported(node(item, 0, at, frame), shape.conversion);
  }

  [[gnu::noinline]] Value operand_added(const Shape& shape, const Place& at, const Frame& frame) {
    if (shape.items.empty()) return add_operand(shape, {formats::f32, 0});
    return add_operand(shape, node(shape.items.runs()[0].node, 0, at, frame));
  }

  [[gnu::noinline]] Value add_operand(const Shape& shape, const Value& acc) {
    Value operand;
    for (const auto& [name, value] : leaves_.operands)
      if (name == shape.operand) operand = {value.format, value.code, origin_operand};
    Value result{formats::f32, add(formats::f32, widened(acc, formats::f32).code,
                                   widened(operand, formats::f32).code)};
    if constexpr (Observer::active)
      result.origin =
          observer_.step({nullptr, nullptr, acc, std::span<const Value>(&operand, 1), {}, result});
    return result;
  }

  /// A sum that is not rounded. NaN and infinities as IEEE adds treat them.
  struct ExactSum {
    Dyadic sum;
    bool plus = false, minus = false, nan = false;
    std::vector<Value> values;
    std::vector<std::int64_t> products;

    void special(FpClass cls, bool negative) {
      nan = nan || cls == FpClass::nan;
      if (cls == FpClass::infinity) (negative ? minus : plus) = true;
    }
    [[gnu::noinline]] void add(const Value& value) {
      const Unpacked u = unpack(value.format, value.code);
      special(u.cls, u.negative);
      if (u.finite()) sum += Dyadic::from_code(value.format, value.code);
    }
    [[gnu::noinline]] void add_item(const Value& value) {
      values.push_back(value);
      add(value);
    }
  };

  /// Sum of everything without rounding, then one.
  Value rounded_exact(const Shape& shape, const Place& at, const Frame& frame,
                      const Conversion& to) {
    return exact_from(shape, at, frame, to, start_of(shape, at, frame));
  }

  [[gnu::noinline]] Value exact_from(const Shape& shape, const Place& at, const Frame& frame,
                                     const Conversion& to, const Value& acc) {
    ExactSum exact;
    exact.add(acc);
    for (const Run& run : shape.items.runs())
      for (std::uint64_t r = 0; r < run.repeats; ++r)
        for (std::uint64_t i = 0; i < run.count; ++i) {
          const std::int64_t move = static_cast<std::int64_t>(r) * run.repeat_step +
                                    static_cast<std::int64_t>(i) * run.step;
          if (run.node.is_leaf() && leaves_.exact_products())
            add_exact_product(exact,
                              leaf_number(at.offset + at.stride * (run.node.offset + move), frame));
          else
            exact.add_item(node(run.node, move, at, frame));
        }
    return round_exact(shape, to, acc, exact);
  }

  [[gnu::noinline]] void add_exact_product(ExactSum& exact, std::int64_t leaf) const {
    const auto i = static_cast<std::size_t>(leaf);
    const Unpacked a = unpack(leaves_.a->format(), leaves_.a->codes()[i]);
    const Unpacked b = unpack(leaves_.b->format(), leaves_.b->codes()[i]);
    exact.products.push_back(leaf);
    if (a.finite() && b.finite()) {
      exact.sum += Dyadic::from_code(leaves_.a->format(), leaves_.a->codes()[i]) *
                   Dyadic::from_code(leaves_.b->format(), leaves_.b->codes()[i]);
    } else if (a.cls == FpClass::nan || b.cls == FpClass::nan || a.cls == FpClass::zero ||
               b.cls == FpClass::zero) {
      exact.nan = true;
    } else {
      exact.special(FpClass::infinity, a.negative != b.negative);
    }
  }

  [[gnu::noinline]] Value round_exact(const Shape& shape, const Conversion& to, const Value& acc,
                                      const ExactSum& exact) {
    Value result{to.to, 0};
    if (exact.nan || (exact.plus && exact.minus)) {
      result.code = nan_code(to.to, to.rule.nan);
    } else if (exact.plus || exact.minus) {
      const Format wide = formats::f64;
      result.code =
          convert(wide, to.to, wide.infinity() | (exact.minus ? wide.sign_mask() : 0), to.rule);
    } else {
      result.code = exact.sum.round_to(to.to, to.rule);
    }
    if constexpr (Observer::active)
      result.origin =
          observer_.step({shape.unit.get(), &to, acc, exact.values, exact.products, result});
    return result;
  }

  const Leaves& leaves_;
  Observer& observer_;
  const std::vector<std::uint64_t>* arrival_;
  std::map<const Unit*, Unit> resolved_;
};

}  // namespace whybits
