// Whatever the topology, unit and data: the ledger is the error, and both bounds hold.
#include "exact/error_bound.hpp"
#include "exact/ledger_totals.hpp"
#include "tests/exact/traced_reduction.hpp"

using namespace whybits;
using namespace whybits::exact;
using namespace whybits::test;

namespace {

/// A code as a rational number, from its fields.
mpq_class rational(const Format& format, Bits code) {
  const auto bits = [&](int from, int count) {
    return static_cast<unsigned long>(code >> from & ((Bits{1} << count) - 1));
  };
  const unsigned long field = bits(format.fraction_bits, format.exponent_bits);
  const bool negative = bits(format.fraction_bits + format.exponent_bits, 1) != 0;
  mpq_class value(bits(0, format.fraction_bits), 1UL << format.fraction_bits);
  value.canonicalize();
  if (field != 0) value += 1;
  const long exponent = (field == 0 ? 1 : static_cast<long>(field)) - format.bias();
  if (exponent >= 0)
    value <<= static_cast<mp_bitcnt_t>(exponent);
  else
    value >>= static_cast<mp_bitcnt_t>(-exponent);
  return negative ? mpq_class(-value) : value;
}

mpq_class rational(const Dyadic& value) {
  mpq_class result(value.mantissa());
  if (value.exponent() >= 0) return result << static_cast<mp_bitcnt_t>(value.exponent());
  return result >> static_cast<mp_bitcnt_t>(-value.exponent());
}

/// What a step read from the named origin.
mpq_class input(const Trace& trace, const Leaves& leaves, Origin origin) {
  if (origin == origin_none) return 0;
  if (origin == origin_c) return rational(leaves.c->format, leaves.c->code);
  if (origin == origin_operand) {
    const Scalar& bias = leaves.operands[0].second;
    return rational(bias.format, bias.code);
  }
  if (!is_leaf_origin(origin)) {
    const TraceNode& node = trace.nodes.at(static_cast<std::size_t>(origin));
    return rational(node.format, node.code);
  }
  const auto leaf = static_cast<std::size_t>(leaf_of_origin(origin));
  const mpq_class a = rational(leaves.a->format(), leaves.a->codes()[leaf]);
  if (!leaves.b) return a;
  const Bits y = leaves.b->codes()[leaf];
  if (!leaves.product) return a * rational(leaves.b->format(), y);
  const Bits x = leaves.a->codes()[leaf];
  return rational(formats::f32, oracle_dot({leaves.a->format(), std::span(&x, 1)},
                                           {leaves.b->format(), std::span(&y, 1)}, formats::f32));
}

/// Σ (result − what it was given) over all steps, from nothing but their codes.
mpq_class rational_ledger(const Trace& trace, const Leaves& leaves) {
  mpq_class sum = 0;
  for (const TraceNode& node : trace.nodes) {
    sum += rational(node.format, node.code) - input(trace, leaves, node.accumulator);
    for (const Origin origin : node.inputs) sum -= input(trace, leaves, origin);
  }
  return sum;
}

struct Counts {
  int checked = 0;
  int bounded = 0;  ///< have an a-priori bound
  int inexact = 0;
  int within_a_tenth = 0;  ///< error of at least a tenth of the a-priori bound
  int beyond_half = 0;     ///< would break a bound of half the a-posteriori one
};

void check_reduction(const Reduction& reduction, const SimLeaves& leaves, const Trace& run,
                     const Dyadic& exact, Counts& counts) {
  const Dyadic error = Dyadic::from_code(run.format, run.result) - exact;
  const LedgerTotals totals = ledger_totals(run);
  REQUIRE(totals.net == error);
  REQUIRE(run.ledger() == error);
  const bool rational_ledger_too = rational_ledger(run, leaves.get()) == rational(error);
  REQUIRE(rational_ledger_too);
  REQUIRE(error.abs() <= totals.magnitude);
  const TreeBound tree(reduction.tree, leaves.types());
  const auto bound = tree.of(leaves.get());
  const auto sharper = tree.of(leaves.get(), exact);
  REQUIRE(bound.has_value() == sharper.has_value());
  ++counts.checked;
  if (!error.is_zero()) ++counts.inexact;
  if (totals.magnitude < error.abs() * Dyadic(1, 1)) ++counts.beyond_half;
  if (!bound) return;
  ++counts.bounded;
  CAPTURE(error.to_double(), bound->to_double());
  REQUIRE(error.abs() <= *bound);
  REQUIRE(error.abs() <= *sharper);
  // But for the 128 bits to which the tree's own numbers are rounded.
  REQUIRE(*sharper <= *bound * (Dyadic(1, 0) + Dyadic(1, -20)));
  if (*bound < error.abs() * Dyadic(10, 0)) ++counts.within_a_tenth;
}

void check_family(Family family, int rounds) {
  Counts counts;
  for_all(rounds, [&](Random& random) {
    with_finite_reduction(random, family,
                          [&](const auto&... all) { check_reduction(all..., counts); });
  });
  CAPTURE(family_name(family), counts.checked, counts.bounded, counts.inexact,
          counts.within_a_tenth, counts.beyond_half);
  CHECK(counts.checked > rounds / 2);
  CHECK(counts.bounded > counts.checked / 2);
  // Bounds that nothing comes near would hold of any arithmetic.
  CHECK(counts.within_a_tenth > counts.checked / 50);
  CHECK(counts.beyond_half > counts.checked / 50);
}

}  // namespace

TEST_CASE(
    "whatever the topology, the ledger is the error and both bounds hold: some of all kinds") {
  for (const Family family : all_families) check_family(family, 800);
}

TEST_CASE("whatever the topology, the ledger is the error and both bounds hold", "[.full]") {
  for (const Family family : all_families) check_family(family, 4000);
}

TEST_CASE("an aligned step can err by nearly what its bound says") {
  // A product of 1, then fifteen a step that lie just below the cut at 2^−25 and vanish.
  const std::size_t n = 16 * 64;
  std::vector<Bits> a(n, 0x32ff), b(n, 0x3f80);
  for (std::size_t i = 0; i < n; i += 16) a[i] = i == 0 ? 0x3f80 : 0x0000;
  const OperandVector x(formats::bf16, a), y(formats::bf16, b);
  Leaves leaves;
  leaves.a = &x;
  leaves.b = &y;
  const Reduction reduction =
      make_reduction(parse_topology("fold(sm90.wgmma.bf16)"), n, LeafTypes::of(leaves));
  const Dyadic error = Dyadic::from_code(formats::f32, evaluate(reduction, leaves)) -
                       oracle_dot_value({formats::bf16, a}, {formats::bf16, b});
  const auto bound = TreeBound(reduction.tree, LeafTypes::of(leaves)).of(leaves);
  REQUIRE(bound);
  CAPTURE(error.to_double(), bound->to_double());
  CHECK(error.abs() <= *bound);
  CHECK(*bound < error.abs() * Dyadic(3, -1));
}

TEST_CASE("bounds by hand") {
  const auto tree_bound = [](const char* topology, std::uint64_t n, const LeafTypes& types) {
    return TreeBound(make_reduction(parse_topology(topology), n, types).tree, types);
  };
  LeafTypes values;
  values.a = formats::f32;
  // (1 + u)^h of an addition tree of height h.
  const Dyadic step = Dyadic(1, 0) + Dyadic(1, -24);
  CHECK(tree_bound("fold(f32)", 4, values).factor() == step * step * step);
  CHECK(tree_bound("pairs(f32)", 4, values).factor() == step * step);
  CHECK(tree_bound("fold(f32)", 4, values).absolute().is_zero());
  CHECK(tree_bound("fold(f32)", 1, values).factor() == Dyadic(1, 0));
  CHECK(tree_bound("fold(exact) > f32", 1000, values).factor() == step);
  CHECK(tree_bound("fold(exact) > f32", 1000, values).absolute() == step * Dyadic(1, -149));

  LeafTypes products;
  products.a = formats::bf16;
  products.b = formats::bf16;
  const Dyadic cut = (Dyadic(1, 0) + Dyadic(1, -21)) * (Dyadic(1, 0) + Dyadic(1, -23));
  CHECK(tree_bound("fold(sm90.wgmma.bf16)", 32, products).factor() == cut * cut);
}

TEST_CASE("no bound is given where saturation may hide an overflow") {
  const std::vector<Bits> large(4, 0x7e);  // 448
  const OperandVector x(formats::e4m3, large);
  Leaves leaves;
  leaves.a = &x;
  const LeafTypes types = LeafTypes::of(leaves);
  const auto bound = [&](const char* topology) {
    return TreeBound(make_reduction(parse_topology(topology), 4, types).tree, types).of(leaves);
  };
  CHECK(bound("fold(f32)"));
  CHECK_FALSE(bound("fold(f32) > e4m3.sat"));
  CHECK_FALSE(bound("fold(f16) > e4m3.sat"));
}

TEST_CASE("the deepest trees have a bound, and more levels a larger one") {
  for (const std::size_t pieces : {16U, 2048U}) {
    CAPTURE(pieces);
    LeafTypes types;
    types.a = formats::bf16;
    types.b = formats::bf16;
    const Tree tree = expand(*parse_topology("slices(1, fold(f32.fma) > bf16, chain)"), pieces);
    // A step of fma and a rounding to bf16, piece after piece: (1 + 2^−24)(1 + 2^−8) each.
    const double expected =
        static_cast<double>(pieces) * (std::log1p(0x1p-24) + std::log1p(0x1p-8));
    const TreeBound bound(tree, types);
    const Dyadic& factor = bound.factor();
    const double bits = static_cast<double>(mpz_sizeinbase(factor.mantissa().get_mpz_t(), 2)) +
                        static_cast<double>(factor.exponent());
    CHECK(bits == Catch::Approx(expected / std::log(2.0)).margin(1));
  }
}
