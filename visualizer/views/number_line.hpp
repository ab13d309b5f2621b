// Values around a rounding border. Where they lie closer together than one can see, a second line
// below shows their surroundings magnified.
#pragma once

#include "visualizer/draw/ui.hpp"
#include "visualizer/model/bits_view.hpp"

namespace whybits::viz {

float number_line_height(const NumberLine& line);
void draw_number_line(Ui& ui, const NumberLine& line, const Rect& area);

}  // namespace whybits::viz
