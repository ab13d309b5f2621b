// Runs a plan in two on leaves that lie along rows: lanes first, an output at a time, then the rest
// for all outputs.
#pragma once

#include "sim/fast/dealt_plan.hpp"

namespace whybits::fast {

/// Whether every output's leaves lie side by side: columns of b, and of paired.
bool lie_in_rows(const LaneOperands& operands);

/// As evaluate(). Preconditions: lie_in_rows(operands), no a, kernels().
CodeMatrix evaluate_dealt(const DealtPlan& plan, const LaneOperands& operands,
                          const GemmOptions& options);

/// What it holds besides operands and result, in bytes.
std::uint64_t dealt_bytes(const DealtPlan& plan, const LaneOperands& operands, unsigned threads);

}  // namespace whybits::fast
