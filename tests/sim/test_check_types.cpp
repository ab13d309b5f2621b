// What check_types refuses before any data: nothing is narrowed unless it is written.
#include "sim/notation.hpp"
#include "sim/reduction.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;

namespace {

LeafTypes products_with_bias(const Format& bias) {
  LeafTypes types;
  types.a = formats::bf16;
  types.b = formats::bf16;
  types.operands = {{"bias", bias}};
  return types;
}

}  // namespace

TEST_CASE("an operand wider than f32 is refused, not narrowed silently") {
  const SchemaPtr schema = parse_topology("fold(f32.fma) + bias > bf16");
  CHECK_NOTHROW(make_reduction(schema, 16, products_with_bias(formats::f32)));
  CHECK_NOTHROW(make_reduction(schema, 16, products_with_bias(formats::bf16)));
  CHECK_THROWS_AS(make_reduction(schema, 16, products_with_bias(formats::f64)), TopologyError);
}

TEST_CASE("an operand that the computation does not have is refused") {
  CHECK_THROWS_AS(
      make_reduction(parse_topology("fold(f32.fma) + scale"), 16, products_with_bias(formats::f32)),
      TopologyError);
}
