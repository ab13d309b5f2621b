// Ribbons, folds and merges of one side.
#pragma once

#include "visualizer/views/axis_layout.hpp"
#include "visualizer/views/pair_frame.hpp"

namespace whybits::viz {

void draw_axis_side(PairFrame& frame, const AxisLayout& layout, Side side, const AxisQuery& query);

}  // namespace whybits::viz
