// "Why this output differs": sentences, the last rounding on the number line, values.
#pragma once

#include "visualizer/views/pair_frame.hpp"

namespace whybits::viz {

void draw_why_panel(PairFrame& frame, const Rect& area);

}  // namespace whybits::viz
