// Along the K axis: how far the sums are from exact, and who lost how much.
#pragma once

#include <span>

#include "visualizer/views/axis_layout.hpp"
#include "visualizer/views/pair_frame.hpp"

namespace whybits::viz {

/// Whether any visible accumulator goes along K, so that there is an error so far to draw.
bool has_error_walk(const PairFrame& frame);
void draw_error_walk(PairFrame& frame, const AxisLayout& layout, const AxisQuery& query);
/// `lines`: x of lines through the plots, from which labels keep away.
void draw_waterfall(PairFrame& frame, const AxisLayout& layout, Side side,
                    std::span<const float> lines);

}  // namespace whybits::viz
