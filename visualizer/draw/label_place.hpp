// Where a label goes among vertical lines.
#pragma once

#include <span>

namespace whybits::viz {

/// The middle of a label of this width within x0 … x1: theirs, or as near to it as no line comes
/// closer to the label than `margin`. Where there is no such place, their middle.
float clear_center(float x0, float x1, float width, std::span<const float> lines,
                   float margin = 10);

}  // namespace whybits::viz
