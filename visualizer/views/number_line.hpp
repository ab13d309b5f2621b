// Values around a rounding border.
#pragma once

#include "visualizer/draw/ui.hpp"
#include "visualizer/model/bits_view.hpp"

namespace whybits::viz {

constexpr float number_line_height = 124;
void draw_number_line(Ui& ui, const NumberLine& line, const Rect& area);

}  // namespace whybits::viz
