#include "visualizer/views/axis_layout.hpp"

namespace whybits::viz {

AxisLayout lay_out_axis(const Rect& area, double first, double last, std::uint32_t depth_a,
                        std::uint32_t depth_b, bool amounts, bool walk, bool tag) {
  AxisLayout l;
  l.plot = {area.x0 + axis_left, area.y0, area.x1 - axis_right, area.y1};
  l.x = {first, last, l.plot.x0, l.plot.x1};
  const float ruler = axis_numbers + (tag ? axis_tag : 0);
  const float h = area.height();
  constexpr float best_row = 34;
  const auto depths = static_cast<float>(depth_a + depth_b);
  // What rows of the best height leave over may do for a walk in a flat band, too.
  const bool spare = h - ruler - best_row * depths > 84;
  const bool with_walk = amounts && walk && (h > 180 || spare);
  const bool with_falls = amounts && h > (walk ? 330 : 220);
  // Ribbons take what rows of a good height need, the plots the rest.
  const float share = with_falls ? 0.42F : with_walk ? 0.55F : 1.F;
  const float best = std::min(best_row, (h * share - ruler) / depths);
  const float row = std::max(axis_least_row, best);
  l.row_a = l.row_b = row;
  Rect rest = area;
  l.a = rest.take_top(row * static_cast<float>(depth_a));
  l.ruler = rest.take_top(axis_numbers);
  if (tag) l.tag = rest.take_top(axis_tag);
  l.b = rest.take_top(row * static_cast<float>(depth_b));
  for (Rect* r : {&l.a, &l.ruler, &l.b}) {
    r->x0 = l.plot.x0;
    r->x1 = l.plot.x1;
  }
  if (tag) {
    l.tag.x0 = l.plot.x0;
    l.tag.x1 = l.plot.x1;
  }
  rest.x0 = l.plot.x0;
  rest.x1 = l.plot.x1;
  if (with_falls) {
    const float fall =
        walk ? std::min(64.F, rest.height() * 0.29F) : std::min(96.F, rest.height() * 0.42F);
    if (depth_b > 0) {
      l.fall_b = rest.take_bottom(fall);
      rest.take_bottom(6);
    }
    l.fall_a = rest.take_bottom(fall);
    rest.take_bottom(12);
  }
  rest.take_top(12);
  if (with_walk) l.walk = rest;
  return l;
}

Rect AxisLayout::row(Side side, std::uint32_t depth, std::uint32_t depths) const {
  const float h = side == Side::a ? row_a : row_b;
  const auto from_ruler = static_cast<float>(depths - 1 - std::min(depth, depths - 1));
  if (side == Side::a)
    return {plot.x0, a.y1 - (from_ruler + 1) * h, plot.x1, a.y1 - from_ruler * h};
  return {plot.x0, b.y0 + from_ruler * h, plot.x1, b.y0 + (from_ruler + 1) * h};
}

}  // namespace whybits::viz
