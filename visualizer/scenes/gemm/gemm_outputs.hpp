// The outputs of a matrix product whose operands are in memory, as the engine asks for them.
#pragma once

#include <memory>

#include "sim/fast/lane_operands.hpp"
#include "visualizer/model/pair_engine.hpp"

namespace whybits::viz {

PairInputs gemm_inputs(const std::shared_ptr<const fast::LaneOperands>& operands);

}  // namespace whybits::viz
