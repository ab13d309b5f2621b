// Rules of matrix units that published models had otherwise or not at all, each with what an H200
// answered (docs/measured-h200.md).
#include "sim/arith.hpp"
#include "sim/device_table.hpp"
#include "sim/notation.hpp"
#include "sim/reduction.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;

namespace {

using Products = std::vector<std::pair<Bits, Bits>>;

/// One step of a unit: products, then zero products up to its k.
Bits step(const std::string& name, const Format& operand, const Format& accumulator,
          const Products& products, Bits c) {
  const Unit unit = *find_device_unit(name);
  std::vector<Bits> x(16, 0), y(16, 0);
  for (std::size_t i = 0; i < products.size(); ++i) std::tie(x[i], y[i]) = products[i];
  if (unit.addends < 16) {
    x.resize(products.size());
    y.resize(products.size());
  }
  const OperandVector a(operand, x);
  const OperandVector b(operand, y);
  Leaves leaves;
  leaves.a = &a;
  leaves.b = &b;
  leaves.c = Scalar{accumulator, c};
  const auto parsed = parse_notation("fold(" + name + ")");
  return evaluate(make_reduction(std::get<SchemaPtr>(parsed), x.size(), LeafTypes::of(leaves)),
                  leaves);
}

}  // namespace

TEST_CASE("A negative sum that becomes zero is +0, whatever made it zero") {
  using namespace formats;
  constexpr Bits minus_zero = 0x80000000;
  // 2^-75 · −2^-75 is below the smallest f32, 2^-90 · −2^-90 below the cut.
  CHECK(step("sm90.mma.bf16", bf16, f32, {{0x1a00, 0x9a00}}, 0) == 0);
  CHECK(step("sm90.wgmma.bf16", bf16, f32, {{0x1280, 0x9280}}, minus_zero) == 0);
  CHECK(step("sm90.mma.bf16", bf16, f32, {{0x8000, 0x3f80}}, minus_zero) == 0);
  // f16: −2^-26 rounds to zero, −1.5 · 2^-25 to the smallest number.
  CHECK(step("sm90.mma.f16.acc16", f16, f16, {{0x0800, 0x8800}}, 0) == 0);
  CHECK(step("sm90.mma.f16.acc16", f16, f16, {{0x0a00, 0x8c00}}, 0) == 0x8001);
}

TEST_CASE("Zeros bring 2^-21 to the alignment of an f16 accumulator, in mma and in wgmma") {
  using namespace formats;
  constexpr Bits p13 = 0x0800, p12 = 0x0c00;  // 2^-13, 2^-12: 2^-25 is half the smallest number
  for (const char* name : {"sm90.mma.f16.acc16", "sm90.wgmma.f16.acc16", "sm90.mma.f16.k8.acc16"}) {
    CAPTURE(name);
    CHECK(step(name, f16, f16, {{p13, p12}, {0x0002, 0x0002}}, 0) == 1);       // + 2^-46
    CHECK(step(name, f16, f16, {{p13, p12}, {0x0001, 0x0002}}, 0) == 0);       // + 2^-47
    CHECK(step(name, f16, f16, {{p13, p12}, {0x0001, 0x0001}}, 0x8000) == 0);  // + 2^-48
  }
}

TEST_CASE("f64 units keep a NaN operand: of b, c, a the first, made quiet") {
  using formats::f64;
  constexpr Bits one = 0x3ff0000000000000, infinity = 0x7ff0000000000000;
  constexpr Bits signalling = 0x7ff0000000000001, quieted = 0x7ff8000000000001;
  constexpr Bits negative = 0xfff8000000000002, ones = 0x7fffffffffffffff;
  constexpr Bits invalid = 0xfff8000000000000;
  const auto dmma = [](Bits a, Bits b, Bits c) {
    return step("sm90.mma.f64.k4", f64, f64, {{a, b}}, c);
  };
  CHECK(dmma(signalling, one, one) == quieted);
  CHECK(dmma(signalling, negative, ones) == negative);
  CHECK(dmma(signalling, one, ones) == ones);
  CHECK(dmma(one, signalling, ones) == quieted);
  CHECK(dmma(0, infinity, one) == invalid);
  CHECK(dmma(infinity, one, infinity | f64.sign_mask()) == invalid);
  CHECK(dmma(0, infinity, signalling) == quieted);
  // The NaN of one step is the c of the next.
  CHECK(step("sm90.mma.f64.k4", f64, f64, {{signalling, one}, {ones, one}}, one) == quieted);
  CHECK(fma(f64, signalling, one, one) == ones);  // unless asked for, NaN is canonical
}

TEST_CASE("f64 units take PTX's roundings as suffixes, and nothing else does") {
  using formats::f64;
  constexpr Bits one = 0x3ff0000000000000;
  const auto sum = [](const char* name) {
    return step(name, f64, f64, {{0x3ff0000000000000, 0x0000000000000001}}, 0x3ff0000000000000);
  };
  CHECK(sum("sm90.mma.f64") == one);
  CHECK(sum("sm90.mma.f64.rz") == one);
  CHECK(sum("sm90.mma.f64.k4.ru") == one + 1);
  CHECK(sum("sm90.mma.f64.rd") == one);
  CHECK(print(*std::get<SchemaPtr>(parse_notation("fold(sm90.mma.f64.k4.rd)"))) ==
        "fold(sm90.mma.f64.k4.rd)");
  CHECK_FALSE(find_device_unit("sm90.mma.bf16.rz"));
  CHECK_FALSE(find_device_unit("sm90.mma.f64.rna"));
}
