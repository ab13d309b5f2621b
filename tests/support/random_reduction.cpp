#include "tests/support/random_reduction.hpp"

#include <algorithm>

#include "sim/device_table.hpp"
#include "sim/schema_edit.hpp"
#include "tests/support/naive_units.hpp"
#include "tests/support/random_schema.hpp"

namespace whybits::test {
namespace {

const std::vector<Format> value_formats{formats::f32, formats::f64, formats::bf16, formats::f16,
                                        formats::e5m2};

/// Format of a c that every unit and every fold can start from.
constexpr Format enters_everywhere = formats::e4m3;

Bits subnormal_code(Random& random, const Format& f) {
  const Bits sign = random.below(2) << (f.exponent_bits + f.fraction_bits);
  return sign | random.below(Bits{4} << f.fraction_bits);  // and the first few normal binades
}

/// The second half of a list takes back what the first half gave, in another order, but for an ulp.
void cancel(Random& random, const Format& f, std::vector<Bits>& codes) {
  const std::size_t half = codes.size() / 2;
  const Bits sign = Bits{1} << (f.exponent_bits + f.fraction_bits);
  for (std::size_t i = 0; i < half; ++i) {
    codes[half + i] = codes[i] ^ sign;
    if (random.below(8) == 0) codes[half + i] ^= 1;
  }
  for (std::size_t i = half; i > 1; --i)
    std::swap(codes[half + i - 1], codes[half + random.below(i)]);
}

std::vector<Bits> random_data(Random& random, const Format& f, std::uint64_t n,
                              std::uint64_t kind) {
  std::vector<Bits> codes;
  if (kind == 3)
    for (std::uint64_t i = 0; i < n; ++i) codes.push_back(subnormal_code(random, f));
  else
    codes = random_codes(random, f, n,
                         kind == 2   ? LeafKind::wide
                         : kind == 9 ? LeafKind::special
                                     : LeafKind::ordinary);
  if (kind == 4) cancel(random, f, codes);
  return codes;
}

Rounding any_rounding(Random& random) {
  return random.pick(all_roundings);
}

/// Roundings, saturation and flushing that random_schema leaves out.
SchemaPtr with_other_rules(Random& random, const SchemaPtr& schema) {
  const SchemaPtr units = edit_units(schema, [&](const Unit& unit) {
    if (unit.kind != Unit::Kind::add || random.below(3) != 0) return unit;
    Unit other =
        ieee_add(unit.format, {.rounding = any_rounding(random), .flush = unit.rule.flush});
    other.after = unit.after;
    return other;
  });
  return edit_schema(units, [&](const Schema& s) -> SchemaPtr {
    const auto* round = std::get_if<RoundTo>(&s.form);
    if (!round || random.below(2) != 0) return nullptr;
    Conversion other = round->conversion;
    other.rule.rounding = any_rounding(random);
    if (random.below(4) == 0) other.rule.overflow = Overflow::saturate;
    if (random.below(4) == 0) other.rule.flush = Flush::both;
    return whybits::schema(RoundTo{round->inner, other});
  });
}

Unit random_aligned(Random& random) {
  AlignedSum sum;
  sum.addends = static_cast<int>(random.below(20)) + 1;
  sum.fraction_bits = static_cast<int>(random.below(40)) + 1;
  sum.zero_exponent = static_cast<int>(random.between(-160, 5));
  sum.out = random.pick(
      std::vector{formats::f32, formats::f16, formats::f64, Format{8, 13, Specials::ieee}});
  sum.rounding = random.coin() ? Rounding::zero : Rounding::nearest_even;
  return aligned_unit(sum);
}

/// A unit of the table, the composite ones often.
std::string table_unit(Random& random) {
  static const std::vector<std::string> composite{"sm90.mma.e4m3", "sm90.mma.e5m2xe4m3",
                                                  "sm90.mma.e4m3.acc16"};
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names = device_unit_names();
    std::erase_if(names, [](const std::string& name) { return find_device_unit(name)->scale; });
    return names;
  }();
  return random.below(4) == 0 ? random.pick(composite) : random.pick(all);
}

}  // namespace

std::string family_name(Family family) {
  constexpr const char* names[] = {"values", "fma", "table", "aligned", "rounded"};
  return names[static_cast<std::size_t>(family)];
}

RandomOperands random_operands(Random& random, Family family) {
  RandomOperands made;
  NaiveLeaves& leaves = made.leaves;
  Format accumulator = enters_everywhere;
  const std::vector<Format> narrow{formats::f32, formats::bf16, formats::f16, formats::e4m3};
  leaves.a_format = random.pick(narrow);
  leaves.b_format = random.pick(narrow);
  switch (family) {
    case Family::values:
      leaves.a_format = random.pick(value_formats);
      leaves.b_format.reset();
      break;
    case Family::fma:
      made.product_units = {ieee_fma(formats::f32, {.rounding = any_rounding(random)}),
                            ieee_fma(formats::f64, {.rounding = any_rounding(random)})};
      break;
    case Family::table: {
      const std::string name = table_unit(random);
      const auto naive = *naive_matrix_unit(name);
      made.product_units = {*find_device_unit(name)};
      leaves.a_format = naive.a == formats::tf32 && random.coin() ? formats::f32 : naive.a;
      leaves.b_format = naive.b == formats::tf32 && random.coin() ? formats::f32 : naive.b;
      accumulator = naive.accumulator;
      break;
    }
    case Family::aligned:
      made.product_units = {random_aligned(random)};
      accumulator = made.product_units[0].format;
      break;
    case Family::rounded:
      leaves.products_to_f32 = true;
      break;
  }
  const std::uint64_t n = random.below(8) == 0 ? random.below(4) : random.below(60);
  const std::uint64_t kind = random.below(10);
  leaves.a = random_data(random, leaves.a_format, n, kind);
  if (leaves.b_format) leaves.b = random_data(random, *leaves.b_format, n, kind);
  if (random.coin()) accumulator = enters_everywhere;
  if (random.below(4) == 0)
    leaves.c = {accumulator, random_code(random, accumulator, LeafKind::wide)};
  leaves.bias = {formats::bf16, random_code(random, formats::bf16, LeafKind::ordinary)};
  return made;
}

SchemaPtr random_topology(Random& random, const RandomOperands& operands, Family family) {
  const NaiveLeaves& leaves = operands.leaves;
  SchemaWishes wishes;
  wishes.n = leaves.a.size();
  wishes.values = std::nullopt;
  if (family == Family::values) wishes.values = leaves.a_format;
  if (family == Family::rounded) wishes.values = formats::f32;
  wishes.product_units = operands.product_units;
  wishes.formats = {formats::f32, formats::f64, formats::bf16, formats::f16, formats::e4m3};
  wishes.starts_from_c = leaves.c && leaves.c->first == enters_everywhere;
  wishes.depth = static_cast<int>(random.below(5));
  return with_other_rules(random, random_schema(random, wishes));
}

bool takes(const Schema& schema, const NaiveLeaves& leaves) {
  try {
    naive_expression(schema, leaves.a.size(), leaves.c.has_value());
    return true;
  } catch (const NaiveRefusal&) {
    return false;
  }
}

}  // namespace whybits::test
