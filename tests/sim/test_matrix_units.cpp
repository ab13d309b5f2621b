// Every unit of the device table, and aligned(…) with any parameters, against exact integers and
// parameters that follow from the published rules (tests/support/naive_units).
#include "sim/device_table.hpp"
#include "sim/notation.hpp"
#include "sim/reduction.hpp"
#include "tests/support/naive_units.hpp"
#include "tests/support/random_leaves.hpp"
#include "tests/support/random_schema.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

LeafKind random_kind(Random& random) {
  const std::uint64_t draw = random.below(10);
  return draw < 4 ? LeafKind::ordinary : draw < 8 ? LeafKind::wide : LeafKind::special;
}

/// Operand formats in memory: those of the unit, or f32 words for a tf32 unit.
Format stored(Random& random, const Format& unit) {
  return unit == formats::tf32 && random.coin() ? formats::f32 : unit;
}

void check_unit(Random& random, const Unit& unit, const Format& a, const Format& b,
                std::uint64_t n) {
  const LeafKind kind = random_kind(random);
  NaiveLeaves leaves;
  leaves.a_format = stored(random, a);
  leaves.b_format = stored(random, b);
  leaves.a = random_codes(random, leaves.a_format, n, kind);
  leaves.b = random_codes(random, *leaves.b_format, n, kind);
  if (random.coin()) leaves.c = {unit.format, random_code(random, unit.format, kind)};
  SchemaWishes wishes;
  wishes.n = n;
  wishes.values = std::nullopt;
  wishes.product_units = {unit};
  wishes.operands = false;
  wishes.depth = leaves.c ? 0 : static_cast<int>(random.below(4));
  const SchemaPtr schema = random_schema(random, wishes);
  CAPTURE(print(*schema), describe(leaves));
  TermPtr expression;
  try {
    expression = naive_expression(*schema, n, leaves.c.has_value());
  } catch (const NaiveRefusal&) {
    return;
  }
  const SimLeaves sim(leaves);
  const Reduction reduction = make_reduction(schema, n, sim.types());
  REQUIRE(evaluate(reduction, sim.get()) == naive_value(expression, leaves, reduction.result));
}

}  // namespace

TEST_CASE("Every unit of the device table computes what the published rules say") {
  for (const std::string& name : device_unit_names()) {
    if (parse_unit(name).scale) continue;  // test_block_scales.cpp
    const auto naive = naive_matrix_unit(name);
    REQUIRE(naive);
    const Unit unit = parse_unit(name);
    for_all(60, [&](Random& random) {
      check_unit(random, unit, naive->a, naive->b,
                 random.below(4) == 0 ? random.below(600) : random.below(80));
    });
  }
}

TEST_CASE("An aligned unit of any parameters adds what exact integers add") {
  const std::vector<Format> operands{formats::f32,  formats::tf32, formats::f16,
                                     formats::bf16, formats::e5m2, formats::e4m3,
                                     formats::e3m2, formats::e2m3, formats::e2m1};
  const std::vector<Format> outs{formats::f32,  formats::f16,
                                 formats::bf16, Format{8, 13, Specials::ieee},
                                 formats::f64,  Format{5, 7, Specials::ieee}};
  for_all(6000, [&](Random& random) {
    AlignedSum sum;
    sum.addends = static_cast<int>(random.below(40)) + 1;
    sum.fraction_bits = static_cast<int>(random.below(48)) + 1;
    sum.zero_exponent = static_cast<int>(random.between(-160, 5));
    sum.out = random.pick(outs);
    sum.rounding = random.coin() ? Rounding::zero : Rounding::nearest_even;
    const Format a = random.pick(operands);
    const Format b = random.pick(operands);
    const Unit unit = random.coin() ? aligned_unit(sum, a, b) : aligned_unit(sum);
    check_unit(random, unit, a, b, random.below(100));
  });
}
