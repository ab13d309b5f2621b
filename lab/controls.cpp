#include "lab/controls.hpp"

#include <algorithm>
#include <utility>

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

/// Folds by a composite fp8 unit, written out with another grouping of the products.
SchemaPtr with_composite(const SchemaPtr& old, bool halves) {
  bool found = false;
  SchemaPtr result = edit_schema(old, [&](const Schema& s) -> SchemaPtr {
    const auto* fold = std::get_if<Fold>(&s.form);
    if (!fold || fold->unit.kind != Unit::Kind::composite) return nullptr;
    found = true;
    const auto k = static_cast<std::uint64_t>(fold->unit.addends);
    const bool acc16 = fold->unit.format == formats::f16;
    const Unit step = *find_device_unit(acc16 ? "sm90.mma.f16.acc16" : "sm90.mma.f16");
    const SchemaPtr chain = schema(Fold{step, Start::zero});
    const SchemaPtr inner =
        halves ? schema(Slices{k / 2, chain, nullptr}) : schema(Lanes{2, 1, chain, nullptr});
    return schema(Slices{k, inner, schema(Fold{ieee_add(fold->unit.format), Start::c})});
  });
  return found ? result : nullptr;
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
    if (!fold || !fold->unit.takes_products()) return nullptr;
    const auto width = static_cast<std::uint64_t>(fold->unit.addends);
    const std::uint64_t half = (n / 2 + width - 1) / width * width;
    if (half == 0 || half >= n) return nullptr;
    found = true;
    return schema(Slices{half, schema(*fold), schema(Fold{ieee_add(fold->unit.result_format())})});
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
      {"products in first and second half", with_composite(schema, true)},
      {"products even and odd", with_composite(schema, false)},
      {"seams 64 later", with_seams_moved(schema, n)},
      {"a seam in the middle", with_one_seam(schema, n)},
      {"slices merged from the last", with_merge_reversed(schema, n)},
  };
  if (has_c) found.push_back({"c added last instead of first", with_c_last(schema, n)});
  std::erase_if(found, [&](const Control& control) {
    return tells_nothing(control.topology, schema, n, has_c);
  });
  return found;
}

}  // namespace whybits
