// The optimized evaluator: whole matrices of outputs that share a topology, every bit as the
// reference evaluator has it.
#pragma once

#include "sim/fast/lane_operands.hpp"
#include "sim/fast/plan.hpp"

namespace whybits::fast {

class TileStore;

/// Codes of all outputs, rows × columns, in plan.reduction.result. Stopped early, the outputs that
/// are left are +0. Progress counts outputs. Memory: working_bytes and the result.
/// Precondition: operands.types() are those the plan was compiled for. With one thread and a store
/// (tile.hpp), what evaluations of the plan hold is kept there; progress is not called then.
CodeMatrix evaluate(const Plan& plan, const LaneOperands& operands, const GemmOptions& options = {},
                    TileStore* store = nullptr);

/// What evaluate() holds besides operands and result, in bytes.
std::uint64_t working_bytes(const Plan& plan, const LaneOperands& operands, unsigned threads);

}  // namespace whybits::fast
