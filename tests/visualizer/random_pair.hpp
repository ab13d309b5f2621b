// Two random topologies over the same random operands, traced and compared.
#pragma once

#include <memory>
#include <optional>

#include "sim/divergence.hpp"
#include "tests/support/random_reduction.hpp"

namespace whybits::test {

struct TracedPair {
  std::unique_ptr<SimLeaves> leaves;
  SchemaPtr schema_a, schema_b;
  Trace a, b;
  Divergence divergence;
};

/// Nothing if no two topologies that take the operands are found.
inline std::optional<TracedPair> random_traced_pair(Random& random) {
  const Family family = random.pick(all_families);
  const RandomOperands operands = random_operands(random, family);
  TracedPair pair;
  pair.leaves = std::make_unique<SimLeaves>(operands.leaves);
  const auto draw = [&]() -> SchemaPtr {
    for (int tries = 0; tries < 20; ++tries) {
      SchemaPtr schema = random_topology(random, operands, family);
      if (takes(*schema, operands.leaves)) return schema;
    }
    return nullptr;
  };
  pair.schema_a = draw();
  pair.schema_b = random.below(8) == 0 ? pair.schema_a : draw();
  if (!pair.schema_a || !pair.schema_b) return std::nullopt;
  const std::uint64_t n = pair.leaves->get().size();
  const auto traced = [&](const SchemaPtr& schema) {
    return trace(make_reduction(schema, n, pair.leaves->types()), pair.leaves->get());
  };
  pair.a = traced(pair.schema_a);
  pair.b = traced(pair.schema_b);
  pair.divergence = diverge(pair.a, pair.b);
  return pair;
}

}  // namespace whybits::test
