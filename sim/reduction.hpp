// A schema expanded for one n, with the format of its result.
#pragma once

#include "sim/expand.hpp"
#include "sim/leaves.hpp"

namespace whybits {

struct Reduction {
  SchemaPtr schema;
  Tree tree;
  Format result;
};

/// Expands and checks. Errors: TopologyError (also for an exact result that is never rounded).
Reduction make_reduction(const SchemaPtr& schema, std::uint64_t n, const LeafTypes& types);

/// The reference evaluator: walks the tree step by step. Result in reduction.result; n = 0 gives
/// +0. Precondition: leaves match the types that the reduction was made for. O(n). `any` nodes take
/// their items in index order; any_order.hpp has the other orders.
Bits evaluate(const Reduction& reduction, const Leaves& leaves);

}  // namespace whybits
