// The gate strip: batch sizes on a logarithmic axis, coloured by topology; A and B are handles on
// it.
#pragma once

#include "visualizer/draw/ui.hpp"
#include "visualizer/model/gates.hpp"
#include "visualizer/scenes/gemm/gemm_state.hpp"

namespace whybits::viz {

/// Returns the state after input; `gesture` names what was dragged.
GemmState draw_gates(Ui& ui, const Layer& layer, const GemmState& state, const Rect& area,
                     std::string& gesture);

}  // namespace whybits::viz
