#include "sim/fast/evaluate.hpp"
#include "sim/fast/kernels/kernels.hpp"
#include "sim/notation.hpp"
#include "tests/support/random_outputs.hpp"

namespace whybits::test {
namespace {

/// Every output as the reference evaluator has it, on every instruction set, with 1 and 2 threads.
void check_all_outputs(const SchemaPtr& schema, const fast::LaneOperands& operands) {
  const LeafTypes types = operands.types();
  const Reduction reduction = make_reduction(schema, operands.length, types);
  const fast::Plan plan = fast::compile(reduction, types);
  CAPTURE(print(*schema), fast::print(plan));
  std::vector<Bits> expected;
  for (std::uint64_t r = 0; r < operands.rows; ++r)
    for (std::uint64_t c = 0; c < operands.columns; ++c)
      expected.push_back(evaluate(reduction, fast::OutputLeaves(operands, r, c).get()));
  for (const std::string& set : fast::instruction_sets())
    for (const unsigned threads : {1u, 2u}) {
      REQUIRE(fast::pin_instruction_set(set));
      const fast::CodeMatrix got = fast::evaluate(plan, operands, {.threads = threads});
      REQUIRE(fast::pin_instruction_set(""));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const std::uint64_t r = i / operands.columns, c = i % operands.columns;
        if (got.at(r, c) == expected[i]) continue;
        CAPTURE(set, threads, r, c);
        CHECK(got.at(r, c) == expected[i]);
        return;
      }
    }
}

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
