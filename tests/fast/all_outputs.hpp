// Whole matrices by the optimized evaluator, beside the reference evaluator's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/fast/evaluate.hpp"
#include "sim/fast/kernels/kernels.hpp"
#include "sim/notation.hpp"
#include "tests/support/catch.hpp"

namespace whybits::test {

/// What evaluate(threads) gives, a matrix, against expected codes, row-major: on every instruction
/// set, with 1 and 2 threads. Tells the first output that differs.
template <class Evaluate>
void check_on_every_set(const std::vector<Bits>& expected, std::uint64_t columns,
                        Evaluate evaluate) {
  for (const std::string& set : fast::instruction_sets())
    for (const unsigned threads : {1u, 2u}) {
      REQUIRE(fast::pin_instruction_set(set));
      const fast::CodeMatrix got = evaluate(threads);
      REQUIRE(fast::pin_instruction_set(""));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const std::uint64_t r = i / columns, c = i % columns;
        if (got.at(r, c) == expected[i]) continue;
        CAPTURE(set, threads, r, c);
        CHECK(got.at(r, c) == expected[i]);
        return;
      }
    }
}

/// Every output as the reference evaluator has it.
inline void check_all_outputs(const SchemaPtr& schema, const fast::LaneOperands& operands) {
  const LeafTypes types = operands.types();
  const Reduction reduction = make_reduction(schema, operands.length, types);
  const fast::Plan plan = fast::compile(reduction, types);
  CAPTURE(print(*schema), fast::print(plan));
  std::vector<Bits> expected;
  for (std::uint64_t r = 0; r < operands.rows; ++r)
    for (std::uint64_t c = 0; c < operands.columns; ++c)
      expected.push_back(evaluate(reduction, fast::OutputLeaves(operands, r, c).get()));
  check_on_every_set(expected, operands.columns, [&](unsigned threads) {
    return fast::evaluate(plan, operands, {.threads = threads});
  });
}

}  // namespace whybits::test
