#include "tests/fast/all_outputs.hpp"
#include "tests/support/random_outputs.hpp"

namespace whybits::test {
namespace {

void check_family(Family family, int rounds) {
  for_all(rounds, [&](Random& random) {
    const RandomOperands operands = random_operands(random, family);
    const SchemaPtr schema = random_topology(random, operands, family);
    if (!takes(*schema, operands.leaves)) return;
    const OutputGrid grid{random.below(7) + 1,
                          random.below(4) == 0 ? random.below(150) + 1 : random.below(20) + 1};
    check_all_outputs(schema, random_outputs(random, operands.leaves, grid));
  });
}

/// Long ones fill the buffers of leaves several times, in units of their steps and beside them.
void check_long(const std::string& topology, const NaiveLeaves& kinds) {
  for_all(4, [&](Random& random) {
    NaiveLeaves leaves = kinds;
    const std::uint64_t n = 200 + random.below(1200);
    leaves.a = random_codes(random, leaves.a_format, n, LeafKind::ordinary);
    if (leaves.b_format) leaves.b = random_codes(random, *leaves.b_format, n, LeafKind::ordinary);
    const OutputGrid grid{random.below(7) + 1, random.below(80) + 1};
    check_all_outputs(parse_topology(topology), random_outputs(random, leaves, grid));
  });
}

TEST_CASE("lanes give the reference evaluator's bits: sums longer than a buffer") {
  NaiveLeaves values;
  values.a_format = formats::bf16;
  for (const char* topology :
       {"fold(f32)", "fold(bf16)", "fold(f32 > bf16)", "pairs(f32)", "halves(f32)",
        "lanes(7, fold(f32), pairs(f32)) > bf16", "slices(300, fold(f32), chain)", "fold(f64.rz)"})
    check_long(topology, values);
  values.a_format = formats::f16;
  for (const char* topology : {"fold(f16)", "fold(f32) > f16"}) check_long(topology, values);
}

TEST_CASE("lanes give the reference evaluator's bits: no products over single addends") {
  NaiveLeaves leaves;
  leaves.a_format = formats::f32;
  for_all(1, [&](Random& random) {
    for (const char* topology :
         {"fold(aligned(l=32, f=13, e0=-133, out=e8m3))", "fold(sm90.wgmma.bf16)", "fold(f32.fma)"})
      check_all_outputs(parse_topology(topology), random_outputs(random, leaves, {3, 20}));
  });
}

TEST_CASE("lanes give the reference evaluator's bits: exact sums") {
  NaiveLeaves leaves;
  for (const Format& format : {formats::f32, formats::f16, formats::e4m3}) {
    leaves.a_format = format;
    leaves.b_format.reset();
    for (const char* topology :
         {"fold(exact) > f32", "fold(exact) > e4m3.rz", "slices(100, fold(exact > f32), fold(f32))",
          "slices(100, fold(exact) > f32, fold(exact) > bf16.ru)"})
      check_long(topology, leaves);
    leaves.b_format = format;
    for (const char* topology : {"fold(exact) > bf16", "lanes(3, fold(exact > f64), fold(f64))"})
      check_long(topology, leaves);
    leaves.products_to_f32 = true;
    check_long("fold(exact) > f32", leaves);
    leaves.products_to_f32 = false;
  }
}

TEST_CASE("lanes give the reference evaluator's bits: products longer than a buffer") {
  const auto products = [](const Format& format, bool rounded) {
    NaiveLeaves leaves;
    leaves.a_format = format;
    leaves.b_format = format;
    leaves.products_to_f32 = rounded;
    return leaves;
  };
  for (const char* topology :
       {"fold(sm90.wgmma.bf16)", "slices(301, fold(sm90.wgmma.bf16), chain)",
        "slices(48, fold(sm90.wgmma.bf16), pairs(f32)) > bf16", "fold(f32.fma)",
        "fold(f32.fma > bf16)", "lanes(3, by=16, fold(sm90.mma.bf16.k8), fold(f32))"})
    check_long(topology, products(formats::bf16, false));
  for (const char* topology : {"fold(sm90.mma.e4m3)", "fold(sm90.wgmma.e4m3)",
                               "fold(sm100.tcgen05.e4m3)", "fold(sm89.mma.e4m3.acc16)"})
    check_long(topology, products(formats::e4m3, false));
  for (const char* topology : {"fold(sm90.mma.f16.acc16)", "fold(sm70.mma.f16)"})
    check_long(topology, products(formats::f16, false));
  check_long("fold(sm90.mma.tf32)", products(formats::f32, false));
  for (const char* topology : {"fold(f32)", "pairs(f32)", "fold(f32 > f16)", "halves(f32.rz)"})
    check_long(topology, products(formats::f32, true));
}

TEST_CASE("lanes give the reference evaluator's bits: sums of values") {
  check_family(Family::values, 400);
}
TEST_CASE("lanes give the reference evaluator's bits: fused multiply-adds") {
  check_family(Family::fma, 300);
}
TEST_CASE("lanes give the reference evaluator's bits: units of the device table") {
  check_family(Family::table, 400);
}
TEST_CASE("lanes give the reference evaluator's bits: any aligned unit") {
  check_family(Family::aligned, 300);
}
TEST_CASE("lanes give the reference evaluator's bits: rounded products") {
  check_family(Family::rounded, 400);
}

}  // namespace
}  // namespace whybits::test
