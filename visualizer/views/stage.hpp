// The one picture with levels: all outputs, the K axis of one, one step of it, bits. The level that
// is looked at takes the room, the others stay as context; between them a lens shows which part of
// the level above is magnified below.
#pragma once

#include "visualizer/views/pair_frame.hpp"

namespace whybits::viz {

void draw_stage(PairFrame& frame, Rect area);

/// The levels of the stage. `detail` is 0 as context and 1 where it is looked at.
void draw_map_band(PairFrame& frame, const Rect& area, float detail);
void draw_axis_band(PairFrame& frame, const Rect& area, float detail);
/// What the bands of steps and bits can use.
float step_height(PairFrame& frame);
float bits_height(const PairFrame& frame);
void draw_step_band(PairFrame& frame, const Rect& area, float detail);
void draw_bits_band(PairFrame& frame, const Rect& area, float detail);

/// Where the selected output lies in the map band, for the lens.
Rect selected_cell(const PairFrame& frame, const Rect& area);
float map_bottom(const PairFrame& frame, const Rect& area);
/// The most that the map of all outputs can use.
float map_height(const PairFrame& frame, float width);
/// Where the chosen step lies on the axis band.
std::pair<float, float> step_extent(const PairFrame& frame, const Rect& area);

}  // namespace whybits::viz
