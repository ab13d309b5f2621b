#include "lab/controls.hpp"

#include <algorithm>
#include <utility>

#include "sim/ceil_div.hpp"
#include "sim/device_table.hpp"
#include "sim/expand.hpp"
#include "sim/schema_edit.hpp"

namespace whybits {
namespace {

/// The topology with the parameters of every aligned unit changed; null if it has none.
template <class Change>
SchemaPtr with_aligned(const SchemaPtr& schema, Change change) {
  bool found = false;
  SchemaPtr result = edit_units(schema, [&](const Unit& unit) {
    if (unit.kind != Unit::Kind::aligned) return unit;
    found = true;
    AlignedSum sum = unit.aligned;
    change(sum);
    Unit other = aligned_unit(sum, unit.operand_a, unit.operand_b);
    other.after = unit.after;
    return other;
  });
  return found ? result : nullptr;
}

/// An fp8 instruction that runs as two f16 steps and an add, written out so that it can be wrong.
struct Composite {
  std::uint64_t k;  ///< products of one instruction
  Unit step;        ///< the f16 step
  Format accumulator;
  Start total;  ///< what the steps' results are added to: c, or +0 where there is none

  /// Products with k mod 4 in {0, 1}, then the others: how the instruction groups them.
  SchemaPtr grouped(const Unit& unit, Start start) const {
    return schema(Lanes{2, 2, schema(Fold{unit, start}), nullptr});
  }
  /// c is added to what the steps gave.
  SchemaPtr then_c(const SchemaPtr& steps) const {
    return schema(Slices{k, steps, schema(Fold{ieee_add(accumulator), total})});
  }
  SchemaPtr zero_chain() const { return schema(Fold{step, Start::zero}); }
  Unit with_fraction_bits(int more) const {
    AlignedSum sum = step.aligned;
    sum.fraction_bits += more;
    return aligned_unit(sum, step.operand_a, step.operand_b);
  }
};

/// Folds by a composite unit, replaced by what `make` gives for it; null if there is none.
template <class Make>
SchemaPtr with_composite(const SchemaPtr& old, bool has_c, Make make) {
  bool found = false;
  SchemaPtr result = edit_schema(old, [&](const Schema& s) -> SchemaPtr {
    const auto* fold = std::get_if<Fold>(&s.form);
    if (!fold || fold->unit.kind != Unit::Kind::composite) return nullptr;
    found = true;
    const bool acc16 = fold->unit.format == formats::f16;
    return make(Composite{static_cast<std::uint64_t>(fold->unit.addends),
                          *find_device_unit(acc16 ? "sm90.mma.f16.acc16" : "sm90.mma.f16"),
                          fold->unit.format, has_c ? Start::c : Start::zero});
  });
  return found ? result : nullptr;
}

SchemaPtr with_composite_fraction(const SchemaPtr& old, bool has_c, int more) {
  return with_composite(old, has_c, [&](const Composite& c) {
    return c.then_c(c.grouped(c.with_fraction_bits(more), Start::zero));
  });
}

SchemaPtr with_halves_of_k(const SchemaPtr& old, bool has_c) {
  return with_composite(old, has_c, [](const Composite& c) {
    return c.then_c(schema(Slices{c.k / 2, c.zero_chain(), nullptr}));
  });
}

SchemaPtr with_even_and_odd_k(const SchemaPtr& old, bool has_c) {
  return with_composite(old, has_c, [](const Composite& c) {
    return c.then_c(schema(Lanes{2, 1, c.zero_chain(), nullptr}));
  });
}

SchemaPtr with_c_in_the_steps(const SchemaPtr& old, bool has_c) {
  return with_composite(old, has_c, [](const Composite& c) {
    return schema(Slices{c.k, c.grouped(c.step, Start::automatic), nullptr});
  });
}

SchemaPtr with_seams_moved(const SchemaPtr& old, std::uint64_t n) {
  bool found = false;
  SchemaPtr result = edit_schema(old, [&](const Schema& s) -> SchemaPtr {
    const auto* slices = std::get_if<Slices>(&s.form);
    constexpr std::uint64_t by = 64;  // the grain of library kernels
    if (!slices || !slices->merge || slices->size >= n) return nullptr;
    found = true;
    Slices moved = *slices;
    moved.size += by;
    return schema(std::move(moved));
  });
  return found ? result : nullptr;
}

/// An unsplit chain cut in two.
SchemaPtr with_one_seam(const SchemaPtr& old, std::uint64_t n) {
  bool found = false;
  SchemaPtr result = edit_schema(old, [&](const Schema& s) -> SchemaPtr {
    if (std::holds_alternative<Slices>(s.form) || std::holds_alternative<Lanes>(s.form) ||
        std::holds_alternative<Parts>(s.form) || std::holds_alternative<Cut>(s.form))
      return schema(s);  // has seams of its own: leave alone
    const auto* fold = std::get_if<Fold>(&s.form);
    if (!fold) return nullptr;
    const auto width = static_cast<std::uint64_t>(fold->unit.addends);
    const std::uint64_t half = round_up(n / 2, width);
    if (half == 0 || half >= n) return nullptr;
    found = true;
    return schema(Slices{half, schema(*fold), schema(Fold{ieee_add(fold->unit.result_format())})});
  });
  return found ? result : nullptr;
}

/// Neighbours first instead of far first, and the other way round.
SchemaPtr with_other_tree(const SchemaPtr& old) {
  bool found = false;
  SchemaPtr result = edit_schema(old, [&](const Schema& s) -> SchemaPtr {
    if (const auto* pairs = std::get_if<Pairs>(&s.form)) {
      found = true;
      return schema(Halves{pairs->unit});
    }
    if (const auto* halves = std::get_if<Halves>(&s.form)) {
      found = true;
      return schema(Pairs{halves->unit});
    }
    return nullptr;
  });
  return found ? result : nullptr;
}

/// Twice as many threads, or accumulators of a thread.
SchemaPtr with_lanes_doubled(const SchemaPtr& old) {
  bool found = false;
  SchemaPtr result = edit_schema(old, [&](const Schema& s) -> SchemaPtr {
    const auto* lanes = std::get_if<Lanes>(&s.form);
    if (!lanes || !lanes->merge) return nullptr;
    found = true;
    Lanes more = *lanes;
    more.count *= 2;
    return schema(std::move(more));
  });
  return found ? result : nullptr;
}

/// Slices whose partials are rounded on the way, kept as they are; and partials of a sum that is
/// rounded at its end, rounded before they meet.
SchemaPtr with_partials_otherwise(const SchemaPtr& old) {
  const auto* last = std::get_if<RoundTo>(&old->form);
  bool found = false;
  SchemaPtr result = edit_schema(old, [&](const Schema& s) -> SchemaPtr {
    const auto* slices = std::get_if<Slices>(&s.form);
    if (!slices || !slices->merge) return nullptr;
    Slices other = *slices;
    const auto* rounded = std::get_if<RoundTo>(&slices->each->form);
    const auto* merge = std::get_if<Fold>(&slices->merge->form);
    if (rounded) {
      other.each = rounded->inner;
    } else if (merge && merge->unit.after) {
      Fold kept = *merge;
      kept.unit.after.reset();
      other.merge = schema(kept);
    } else if (last) {
      other.each = schema(RoundTo{slices->each, last->conversion});
    } else {
      return nullptr;
    }
    found = true;
    return schema(std::move(other));
  });
  return found ? result : nullptr;
}

Unit with_other_flush(const Unit& add) {
  RoundRule rule = add.rule;
  rule.flush = rule.flush == Flush::none ? Flush::both : Flush::none;
  Unit other = ieee_add(add.format, rule);
  other.after = add.after;
  return other;
}

/// A chain of adds, or adds in any order, that flush subnormals keep them, and the other way round.
SchemaPtr with_other_flush(const SchemaPtr& old) {
  if (const auto* fold = std::get_if<Fold>(&old->form)) {
    if (fold->unit.kind != Unit::Kind::add) return nullptr;
    return schema(Fold{with_other_flush(fold->unit), fold->start});
  }
  bool found = false;
  SchemaPtr result = edit_schema(old, [&](const Schema& s) -> SchemaPtr {
    const auto* any = std::get_if<Any>(&s.form);
    if (!any) return nullptr;
    found = true;
    return schema(Any{with_other_flush(any->unit)});
  });
  return found ? result : nullptr;
}

/// Two slices commute, so their order cannot show: three or more.
SchemaPtr with_merge_reversed(const SchemaPtr& old, std::uint64_t n) {
  bool found = false;
  SchemaPtr result = edit_schema(old, [&](const Schema& s) -> SchemaPtr {
    const auto* slices = std::get_if<Slices>(&s.form);
    if (!slices || !slices->merge || 2 * slices->size >= n) return nullptr;
    found = true;
    Slices reversed = *slices;
    reversed.merge = schema(Reverse{slices->merge});
    return schema(std::move(reversed));
  });
  return found ? result : nullptr;
}

/// c enters after the products, by one add, instead of with them.
SchemaPtr with_c_last(const SchemaPtr& old, std::uint64_t n) {
  if (n == 0) return nullptr;
  if (const auto* round = std::get_if<RoundTo>(&old->form)) {
    const SchemaPtr inner = with_c_last(round->inner, n);
    return inner ? schema(RoundTo{inner, round->conversion}) : nullptr;
  }
  bool found = false;
  const SchemaPtr without_c = edit_schema(old, [&](const Schema& s) -> SchemaPtr {
    const auto* fold = std::get_if<Fold>(&s.form);
    if (!fold) return nullptr;
    found = found || fold->unit.kind == Unit::Kind::aligned;
    if (fold->unit.takes_products()) return schema(Fold{fold->unit, Start::zero});
    return fold->start == Start::c ? schema(Fold{fold->unit}) : nullptr;
  });
  const std::optional<Format> format = result_format(*without_c);
  if (!found || !format) return nullptr;
  return schema(Slices{n, without_c, schema(Fold{ieee_add(*format), Start::c})});
}

/// A neighbour that cannot be expanded, or is the topology itself, tells nothing.
bool tells_nothing(const SchemaPtr& neighbour, const SchemaPtr& topology, std::uint64_t n,
                   bool has_c) {
  if (!neighbour) return true;
  try {
    return expand(*neighbour, n, {.has_c = has_c}) == expand(*topology, n, {.has_c = has_c});
  } catch (const TopologyError&) {
    return true;
  }
}

}  // namespace

std::vector<Control> wrong_neighbours(const SchemaPtr& schema, std::uint64_t n, bool has_c) {
  std::vector<Control> found{
      {"one fraction bit less", with_aligned(schema, [](AlignedSum& s) { --s.fraction_bits; })},
      {"one fraction bit more", with_aligned(schema, [](AlignedSum& s) { ++s.fraction_bits; })},
      {"the other rounding of a step", with_aligned(schema,
                                                    [](AlignedSum& s) {
                                                      s.rounding = s.rounding == Rounding::zero
                                                                       ? Rounding::nearest_even
                                                                       : Rounding::zero;
                                                    })},
      {"steps half as wide",
       with_aligned(schema, [](AlignedSum& s) { s.addends = std::max(1, s.addends / 2); })},
      {"f16 steps with one fraction bit less", with_composite_fraction(schema, has_c, -1)},
      {"f16 steps with one fraction bit more", with_composite_fraction(schema, has_c, +1)},
      {"products in first and second half", with_halves_of_k(schema, has_c)},
      {"products even and odd", with_even_and_odd_k(schema, has_c)},
      {"c in the f16 steps", with_c_in_the_steps(schema, has_c)},
      {"seams 64 later", with_seams_moved(schema, n)},
      {"a seam in the middle", with_one_seam(schema, n)},
      {"slices merged from the last", with_merge_reversed(schema, n)},
      {"neighbours first for far first", with_other_tree(schema)},
      {"partials rounded for kept, or kept for rounded", with_partials_otherwise(schema)},
      {"twice as many lanes", with_lanes_doubled(schema)},
      {"subnormals kept for flushed, or flushed for kept", with_other_flush(schema)},
  };
  if (has_c) found.push_back({"c added last instead of first", with_c_last(schema, n)});
  std::erase_if(found, [&](const Control& control) {
    return tells_nothing(control.topology, schema, n, has_c);
  });
  return found;
}

}  // namespace whybits
