#include "visualizer/draw/label_place.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace whybits::viz {

float clear_center(float x0, float x1, float width, std::span<const float> lines, float margin) {
  const float middle = (x0 + x1) / 2;
  const float half = width / 2;
  const float clear = half + margin;
  const auto free = [&](float at) {
    constexpr float rounding = 0.01F;
    return std::all_of(lines.begin(), lines.end(),
                       [&](float line) { return std::abs(line - at) >= clear - rounding; });
  };
  if (free(middle)) return middle;
  std::optional<float> best;
  for (const float line : lines)
    for (const float at : {line + clear, line - clear}) {
      if (at - half < x0 || at + half > x1 || !free(at)) continue;
      if (!best || std::abs(at - middle) < std::abs(*best - middle)) best = at;
    }
  return best.value_or(middle);
}

}  // namespace whybits::viz
