// The optimized evaluator: whole matrices of outputs that share a topology, every bit as the
// reference evaluator has it.
#pragma once

#include "sim/fast/lane_operands.hpp"
#include "sim/fast/plan.hpp"

namespace whybits::fast {

/// Codes of all outputs, rows × columns, in plan.reduction.result. Stopped early, the outputs that
/// are left are +0. Progress counts outputs. Memory: working_bytes and the result.
/// Precondition: operands.types() are those the plan was compiled for.
CodeMatrix evaluate(const Plan& plan, const LaneOperands& operands,
                    const GemmOptions& options = {});

/// What evaluate() holds besides operands and result, in bytes.
std::uint64_t working_bytes(const Plan& plan, const LaneOperands& operands, unsigned threads);

/// How many threads evaluate() takes: as many as asked for, or as the machine has.
unsigned thread_count(unsigned wanted);

}  // namespace whybits::fast
