// The reference evaluator against a second reading of the notation (tests/support/naive_*): other
// lists, other arithmetic, every bit.
#include "sim/notation.hpp"
#include "sim/reduction.hpp"
#include "tests/support/naive_topology.hpp"
#include "tests/support/random_leaves.hpp"
#include "tests/support/random_schema.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

const std::vector<std::uint64_t> small_sizes{0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 33, 64};

std::uint64_t random_size(Random& random) {
  if (random.below(12) == 0) return random.below(3000);
  return random.coin() ? random.pick(small_sizes) : random.below(130);
}

LeafKind random_kind(Random& random) {
  const std::uint64_t draw = random.below(10);
  return draw < 5 ? LeafKind::ordinary : draw < 8 ? LeafKind::wide : LeafKind::special;
}

/// Returns true if it was compared, false if both refused because nothing takes c.
bool check_bits(const SchemaPtr& schema, const NaiveLeaves& naive) {
  CAPTURE(print(*schema), describe(naive));
  const SimLeaves leaves(naive);
  TermPtr expression;
  try {
    expression = naive_expression(*schema, naive.a.size(), naive.c.has_value());
  } catch (const NaiveRefusal&) {
    REQUIRE(naive.c);
    REQUIRE_THROWS_AS(make_reduction(schema, naive.a.size(), leaves.types()), TopologyError);
    return false;
  }
  const Reduction reduction = make_reduction(schema, naive.a.size(), leaves.types());
  REQUIRE(evaluate(reduction, leaves.get()) == naive_value(expression, naive, reduction.result));
  return true;
}

NaiveLeaves random_products(Random& random, const Format& a, const Format& b, std::uint64_t n) {
  NaiveLeaves leaves;
  const LeafKind kind = random_kind(random);
  leaves.a_format = a;
  leaves.b_format = b;
  leaves.a = random_codes(random, a, n, kind);
  leaves.b = random_codes(random, b, n, kind);
  leaves.bias = {formats::f32, random_code(random, formats::f32, LeafKind::ordinary)};
  return leaves;
}

SchemaWishes product_wishes(Random& random, std::vector<Unit> units) {
  SchemaWishes wishes;
  wishes.n = random_size(random);
  wishes.values = std::nullopt;
  wishes.product_units = std::move(units);
  wishes.depth = static_cast<int>(random.below(5));
  return wishes;
}

}  // namespace

TEST_CASE("Random topologies over values give the processor's bits") {
  for (const Format& format : {formats::f32, formats::f64, formats::bf16}) {
    for_all(4000, [&](Random& random) {
      SchemaWishes wishes;
      wishes.n = random_size(random);
      wishes.values = format;
      wishes.depth = static_cast<int>(random.below(5));
      NaiveLeaves leaves;
      leaves.a_format = format;
      leaves.a = random_codes(random, format, wishes.n, random_kind(random));
      leaves.bias = {formats::bf16, random_code(random, formats::bf16, LeafKind::ordinary)};
      check_bits(random_schema(random, wishes), leaves);
    });
  }
}

TEST_CASE("Random topologies by fused multiply-add give the processor's bits") {
  const Unit f32_fma = ieee_fma(formats::f32);
  const Unit f64_fma = ieee_fma(formats::f64);
  for_all(4000, [&](Random& random) {
    const bool wide = random.coin();
    const std::vector<Format> operands =
        wide ? std::vector{formats::f64, formats::f32, formats::f16}
             : std::vector{formats::f32, formats::bf16, formats::e4m3};
    const SchemaWishes wishes =
        product_wishes(random, wide ? std::vector{f64_fma} : std::vector{f32_fma, f64_fma});
    NaiveLeaves leaves =
        random_products(random, random.pick(operands), random.pick(operands), wishes.n);
    if (random.below(4) == 0)
      leaves.c = {formats::f32, random_code(random, formats::f32, LeafKind::wide)};
    check_bits(random_schema(random, wishes), leaves);
  });
}

TEST_CASE("Products rounded to f32 first are the processor's products") {
  for_all(1000, [&](Random& random) {
    SchemaWishes wishes;
    wishes.n = random_size(random);
    const std::vector<Format> operands{formats::f32, formats::bf16, formats::f16, formats::e5m2};
    NaiveLeaves leaves =
        random_products(random, random.pick(operands), random.pick(operands), wishes.n);
    leaves.products_to_f32 = true;
    check_bits(random_schema(random, wishes), leaves);
  });
}

TEST_CASE("The operand c enters where the notation says") {
  int compared = 0;
  for_all(3000, [&](Random& random) {
    SchemaWishes wishes;
    wishes.n = random_size(random);
    NaiveLeaves leaves;
    leaves.a_format = formats::f32;
    leaves.a = random_codes(random, formats::f32, wishes.n, LeafKind::ordinary);
    leaves.c = {formats::bf16, random_code(random, formats::bf16, LeafKind::ordinary)};
    wishes.starts_from_c = true;
    wishes.depth = static_cast<int>(random.below(4));
    compared += check_bits(random_schema(random, wishes), leaves) ? 1 : 0;
  });
  CHECK(compared > 200);
}

TEST_CASE("exact rounds once, whatever the order") {
  for_all(1000, [&](Random& random) {
    const std::uint64_t n = random_size(random);
    const Format a = random.pick(std::vector{formats::f64, formats::f32, formats::bf16});
    NaiveLeaves leaves = random_products(random, a, formats::f32, n);
    if (random.coin()) leaves.b_format.reset();
    const char* text =
        random.pick(std::vector{"fold(exact) > f32", "reverse(fold(exact > bf16)) > f16",
                                "slices(5, fold(exact) > f64.rz, fold(exact)) > f32",
                                "rotate(3, slices(4, fold(exact), chain)) > bf16"});
    check_bits(parse_topology(text), leaves);
  });
}

TEST_CASE("What does not fit is refused by the layout exactly where the slow reading refuses it") {
  int refused = 0;
  constexpr int rounds = 4000;
  for_all(rounds, [&](Random& random) {
    SchemaWishes wishes;
    wishes.n = random_size(random);
    wishes.depth = static_cast<int>(random.below(4));
    wishes.faults = true;
    const SchemaPtr schema = random_schema(random, wishes);
    CAPTURE(print(*schema), wishes.n);
    bool refuses = false;
    try {
      naive_expression(*schema, wishes.n, false);
    } catch (const NaiveRefusal&) {
      refuses = true;
    }
    if (refuses)
      REQUIRE_THROWS_AS(expand(*schema, wishes.n), TopologyError);
    else
      REQUIRE_NOTHROW(expand(*schema, wishes.n));
    refused += refuses ? 1 : 0;
  });
  CHECK(refused > rounds / 10);
  CHECK(refused < rounds / 5);
}
