#include <cmath>

#include "sim/map_operation.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/processor_floats.hpp"

using namespace whybits;
using namespace whybits::test;
using formats::f32;

namespace {

Bits run(const MapOperation& operation, const std::vector<float>& operands) {
  std::vector<Bits> codes;
  for (const float x : operands) codes.push_back(to_code(x));
  return operation(codes);
}

}  // namespace

TEST_CASE("map operations do what the processor does in f32") {
  for_all(2000, [](Random& random) {
    const float x = wide_float(random), y = wide_float(random), z = wide_float(random);
    CAPTURE(x, y, z);
    REQUIRE(run(operations::add(f32), {x, y}) == to_code(x + y));
    REQUIRE(run(operations::sub(f32), {x, y}) == to_code(x - y));
    REQUIRE(run(operations::mul(f32), {x, y}) == to_code(x * y));
    REQUIRE(run(operations::div(f32), {x, y}) == to_code(x / y));
    REQUIRE(run(operations::fma(f32), {x, y, z}) == to_code(std::fma(x, y, z)));
    REQUIRE(run(operations::sqrt(f32), {std::abs(x)}) == to_code(std::sqrt(std::abs(x))));
    REQUIRE(run(operations::max(f32), {x, y}) == to_code(std::fmax(x, y)));
    REQUIRE(run(operations::negate(f32), {x}) == to_code(-x));
    const MapOperation narrow = operations::convert(f32, {formats::bf16, {}});
    REQUIRE(run(narrow, {x}) == float_to_bf16(x));
  });
}

TEST_CASE("a map operation keeps its rounding rule") {
  RoundRule up;
  up.rounding = Rounding::up;
  CHECK(run(operations::add(f32, up), {1.0f, 0x1p-60f}) == to_code(1.0f + 0x1p-23f));
  CHECK(run(operations::add(f32), {1.0f, 0x1p-60f}) == to_code(1.0f));
  CHECK(operations::add(f32, up).name == "add.f32.ru");
  CHECK(operations::convert(f32, {formats::e4m3, {.overflow = Overflow::saturate}}).name ==
        "convert.e4m3.sat");
  CHECK(run(operations::max(f32), {-INFINITY, NAN}) == to_code(-INFINITY));
  CHECK(run(operations::max(f32), {NAN, NAN}) == 0x7fffffff);
  CHECK(run(operations::max(f32, NanRule::ieee), {NAN, NAN}) == 0x7fc00000);
}

TEST_CASE("functions and tables are handed in by value") {
  const MapOperation twice = operations::given(
      "twice", {f32}, f32, [](std::span<const Bits> x) { return to_code(2 * to_float(x[0])); });
  CHECK(twice.arity() == 1);
  CHECK(run(twice, {1.5f}) == to_code(3.0f));

  std::vector<Bits> codes(256);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = 255 - i;
  const MapOperation mirror = operations::table("mirror", formats::e4m3, formats::e5m2, codes);
  for (const Bits x : {0u, 1u, 0x7fu, 0x80u, 0xffu}) CHECK(mirror(std::vector<Bits>{x}) == 255 - x);
  CHECK(mirror.result == formats::e5m2);

  CHECK_THROWS_WITH(operations::table("short", formats::e4m3, f32, std::vector<Bits>(255)),
                    contains("255 codes for an operand of 8 bits"));
  CHECK_THROWS_WITH(operations::table("wide", f32, f32, {}), contains("at most 16 bits"));
}
