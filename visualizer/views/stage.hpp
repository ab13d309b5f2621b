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

/// The frame of the selected output in the map band, where the lens begins.
Rect selected_frame(const PairFrame& frame, const Rect& area);
/// The most that the map of all outputs can use.
float map_height(const PairFrame& frame, float width);
/// Where the steps that are taken apart lie on the axis band, and where the ribbons end that they
/// are marked on. x1 <= x0: nowhere in view.
struct StepExtent {
  float x0 = 0, x1 = 0, top = 0;
};
StepExtent step_extent(PairFrame& frame, const Rect& area);

}  // namespace whybits::viz
