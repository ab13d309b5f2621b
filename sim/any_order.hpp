// any(U): a sum whose order nobody defines (atomics, in-switch reductions) has a set of results.
//
// Three questions: what comes out for a given order of arrival, which results are possible at all,
// and is an observed result one of them?
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "sim/reduction.hpp"

namespace whybits {

/// True if the tree has an `any` node, so that its result is a set.
bool has_any_order(const Tree& tree);

/// The result when the items of every `any` node arrive in this order: item arrival[0] first.
/// Errors: TopologyError if it is not a permutation of the items of each `any` node.
Bits evaluate_arriving(const Reduction& reduction, const Leaves& leaves,
                       const std::vector<std::uint64_t>& arrival);

/// Every result that some order gives, as codes of reduction.result. States are (items arrived,
/// accumulator), so the work is bounded by 2^items · distinct accumulators, not by items!.
/// Errors: TopologyError beyond 20 items in one `any` or `limit` states.
std::set<Bits> possible_results(const Reduction& reduction, const Leaves& leaves,
                                std::size_t limit = std::size_t{1} << 22);

}  // namespace whybits
