// Values around a rounding border. Where they lie closer together than one can see, a second line
// below shows their surroundings magnified.
#pragma once

#include "visualizer/draw/ui.hpp"
#include "visualizer/model/bits_view.hpp"

namespace whybits::viz {

float number_line_height(const Ui& ui, const NumberLine& line, float width);
/// The least that it can be drawn in: of a magnified one the magnified part alone.
float least_number_line_height(const Ui& ui, const NumberLine& line, float width);
/// Draws what the height of the area allows.
void draw_number_line(Ui& ui, const NumberLine& line, const Rect& area);

}  // namespace whybits::viz
