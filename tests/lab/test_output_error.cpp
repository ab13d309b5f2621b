#include "lab/output_error.hpp"
#include "sim/notation.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using whybits::test::contains;

namespace {

/// 1, 2^−24, 2^−24: an f32 fold keeps the 1, the exact sum is 1 + 2^−23.
const OperandVector values(formats::f32, {0x3f800000, 0x33800000, 0x33800000});
const Dyadic exact = Dyadic(1, 0) + Dyadic(1, -23);

std::optional<OutputError> error_of(const char* topology) {
  Leaves leaves;
  leaves.a = &values;
  const Reduction reduction =
      make_reduction(parse_topology(topology), leaves.size(), LeafTypes::of(leaves));
  return output_error(reduction, trace(reduction, leaves), leaves);
}

}  // namespace

TEST_CASE("the error of an output, its bounds and its condition number by hand") {
  const auto error = error_of("fold(f32)");
  REQUIRE(error);
  CHECK(error->error == Dyadic(-1, -23));
  CHECK(error->in_ulps == -1);
  CHECK(error->relative == Catch::Approx(0x1p-23));
  CHECK(error->ledger_bound == Dyadic(1, -23));  // twice 2^−24
  const Dyadic growth = Dyadic(1, 0) + Dyadic(1, -24);
  CHECK(error->tree_bound == (growth * growth - Dyadic(1, 0)) * exact);
  CHECK(error->condition == 1);
}

TEST_CASE("a rounding at the end errs relative to the exact sum") {
  const auto error = error_of("fold(exact) > bf16");
  REQUIRE(error);
  REQUIRE(error->tree_bound);
  CHECK(error->tree_bound->to_double() == Catch::Approx(0x1p-8));
}

TEST_CASE("no error is claimed where the topology leaves addends out") {
  CHECK_FALSE(error_of("take(0..2, fold(f32))").has_value());
  CHECK(output_error_json(error_of("take(0..2, fold(f32))")).is_null());
}

TEST_CASE("the errors of an output as text and JSON") {
  const std::string text =
      output_errors_text(error_of("fold(f32)"), error_of("reverse(fold(f32))"));
  CHECK_THAT(text, contains("condition number Σ|addend| / |Σ addend|: 1"));
  CHECK_THAT(text, contains("-1.19e-07"));
  CHECK_THAT(text, contains("Σ|discarded|"));
  CHECK(output_errors_text({}, {}).empty());
  const nlohmann::ordered_json json = output_error_json(error_of("fold(f32)"));
  CHECK(json["ulps"] == -1);
  CHECK(json["error"] == -0x1p-23);
  CHECK(json["ledger_bound"] == 0x1p-23);
  CHECK(json["condition_number"] == 1);
}
