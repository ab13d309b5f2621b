// The ledger is exact: what every step discarded, and with it the whole error, in integers of GMP.
#include "sim/notation.hpp"
#include "sim/trace.hpp"
#include "tests/support/naive_exact.hpp"
#include "tests/support/random_reduction.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

bool equal(const FixedPoint& a, const FixedPoint& b) {
  return a == b;
}

/// What a node reads, c and the bias included; nullopt if it is not finite.
std::optional<FixedPoint> input_value(const Trace& trace, const NaiveLeaves& leaves,
                                      Origin origin) {
  if (origin == origin_none) return FixedPoint(0);
  if (origin == origin_c) return fixed_point(leaves.c->first, leaves.c->second);
  if (origin == origin_operand) return fixed_point(leaves.bias.first, leaves.bias.second);
  if (is_leaf_origin(origin))
    return fixed_point_leaf(leaves, static_cast<std::uint64_t>(leaf_of_origin(origin)));
  const TraceNode& node = trace.nodes.at(static_cast<std::size_t>(origin));
  return fixed_point(node.format, node.code);
}

/// Every entry is result − (accumulator + inputs), and finite says whether that exists.
void check_entries(const Trace& trace, const NaiveLeaves& leaves) {
  bool all_finite = true;
  for (std::size_t i = 0; i < trace.nodes.size(); ++i) {
    CAPTURE(i);
    const TraceNode& node = trace.nodes[i];
    std::optional<FixedPoint> exact = input_value(trace, leaves, node.accumulator);
    for (const Origin input : node.inputs) {
      const auto value = input_value(trace, leaves, input);
      exact = exact && value ? std::optional<FixedPoint>(*exact + *value) : std::nullopt;
    }
    const auto result = fixed_point(node.format, node.code);
    REQUIRE(node.finite == (exact && result));
    if (node.finite) REQUIRE(equal(fixed_point(node.discarded), *result - *exact));
    all_finite = all_finite && node.finite;
  }
  const bool result_finite = fixed_point(trace.format, trace.result).has_value();
  REQUIRE(trace.finite == (all_finite && result_finite));
}

/// Returns false if the topology has no place for c.
bool check_trace(const SchemaPtr& schema, const NaiveLeaves& naive) {
  CAPTURE(print(*schema), describe(naive));
  if (!takes(*schema, naive)) return false;
  const SimLeaves leaves(naive);
  const Reduction reduction = make_reduction(schema, naive.a.size(), leaves.types());
  const Trace found = trace(reduction, leaves.get());
  REQUIRE(found.format == reduction.result);
  REQUIRE(found.result == evaluate(reduction, leaves.get()));
  check_entries(found, naive);
  if (!found.finite) return true;
  const auto exact =
      naive_exact_sum(naive_expression(*schema, naive.a.size(), naive.c.has_value()), naive);
  REQUIRE(exact);
  FixedPoint ledger = 0;
  for (const TraceNode& node : found.nodes) ledger += fixed_point(node.discarded);
  REQUIRE(equal(*fixed_point(found.format, found.result) - *exact, ledger));
  REQUIRE(equal(fixed_point(found.ledger()), ledger));
  return true;
}

}  // namespace

TEST_CASE("Result - exact is the sum of the ledger, whatever the topology, unit and data") {
  for (const Family family : all_families) {
    int checked = 0;
    for_all(2900, [&](Random& random) {
      const RandomOperands operands = random_operands(random, family);
      CAPTURE(family_name(family));
      const SchemaPtr topology = random_topology(random, operands, family);
      checked += check_trace(topology, operands.leaves) ? 1 : 0;
    });
    CAPTURE(family_name(family));
    CHECK(checked >= 2000);
  }
}

namespace {

Trace traced(const std::string& topology, const Format& format, std::vector<Bits> codes) {
  const OperandVector values(format, std::move(codes));
  Leaves leaves;
  leaves.a = &values;
  return trace(make_reduction(parse_topology(topology), values.size(), LeafTypes::of(leaves)),
               leaves);
}

}  // namespace

TEST_CASE("A sum of nothing is +0, a sum of one is a copy, and neither discards anything") {
  for (const char* topology : {"fold(f32)", "pairs(f32)", "slices(4, fold(f32), halves(f32))"}) {
    CAPTURE(topology);
    const Trace nothing = traced(topology, formats::f32, {});
    CHECK(nothing.result == 0);
    CHECK(nothing.nodes.empty());
    CHECK(nothing.finite);
    for (const Bits code : {0x80000000U, 0x00000001U, 0xff7fffffU}) {
      const Trace copy = traced(topology, formats::f32, {code});
      CHECK(copy.result == code);
      CHECK(copy.nodes.empty());
      CHECK(copy.ledger().is_zero());
    }
    CHECK_FALSE(traced(topology, formats::f32, {0x7f800000}).finite);
  }
}

TEST_CASE("A sum of no products over single addends is +0") {
  for (const char* topology :
       {"fold(aligned(l=32, f=13, e0=-133, out=e8m3))", "fold(sm90.wgmma.bf16)", "fold(f32.fma)",
        "slices(4, fold(sm90.wgmma.f16), fold(f32))"}) {
    CAPTURE(topology);
    CHECK(traced(topology, formats::f32, {}).result == 0);
  }
}

TEST_CASE("Zeros of both signs discard nothing") {
  const Trace minus = traced("fold(f32)", formats::f32, {0x80000000, 0x80000000, 0x80000000});
  CHECK(minus.result == 0x80000000);
  CHECK(minus.nodes.size() == 2);
  CHECK(minus.ledger().is_zero());
  const Trace mixed = traced("fold(f32)", formats::f32, {0x80000000, 0, 0x80000000});
  CHECK(mixed.result == 0);
  CHECK(mixed.finite);
}

TEST_CASE("Overflow, NaN and infinities leave the trace without a ledger") {
  const Trace overflow = traced("fold(f16)", formats::f16, {0x7bff, 0x7bff, 0xfc00});
  CHECK(overflow.result == 0x7fff);  // infinity - infinity
  CHECK_FALSE(overflow.finite);
  CHECK_FALSE(overflow.nodes.at(0).finite);
  // An infinity that saturates away: the result is finite, the ledger is not.
  const Trace saturated = traced("fold(f16) > f16.sat", formats::f16, {0x7bff, 0x7bff});
  CHECK(saturated.result == 0x7bff);
  CHECK_FALSE(saturated.finite);
  CHECK_FALSE(traced("fold(f32)", formats::f32, {0x7fc00001, 0x3f800000}).finite);
}

TEST_CASE("Saturation of a finite value and flushing of a subnormal are on the books") {
  const Trace saturated = traced("fold(f32) > e4m3.sat", formats::f32, {0x44000000, 0x44000000});
  CHECK(saturated.result == 0x7e);  // 448 for 1024
  CHECK(saturated.ledger() == Dyadic(448 - 1024, 0));
  const Trace flushed = traced("fold(f32) > f32.ftz", formats::f32, {1, 1});
  CHECK(flushed.result == 0);
  CHECK(flushed.nodes.size() == 2);
  CHECK(flushed.ledger() == Dyadic(-2, -149));
  const Trace alone = traced("fold(f32) > f32.ftz", formats::f32, {3});
  CHECK(alone.ledger() == Dyadic(-3, -149));
}

TEST_CASE("trace_bytes is what a trace takes, within a factor of two") {
  for_all(300, [](Random& random) {
    const Family family = random.pick(all_families);
    const RandomOperands operands = random_operands(random, family);
    const SchemaPtr topology = random_topology(random, operands, family);
    CAPTURE(print(*topology), describe(operands.leaves));
    if (!takes(*topology, operands.leaves)) return;
    const SimLeaves leaves(operands.leaves);
    const Reduction reduction = make_reduction(topology, operands.leaves.a.size(), leaves.types());
    const Trace found = trace(reduction, leaves.get());
    std::uint64_t bytes = 0;
    for (const TraceNode& node : found.nodes)
      bytes += sizeof(TraceNode) + node.inputs.size() * sizeof(Origin) +
               mpz_size(node.discarded.mantissa().get_mpz_t()) * sizeof(mp_limb_t);
    CHECK(bytes <= 2 * trace_bytes(reduction.tree));
  });
}
