#include "visualizer/views/axis_layout.hpp"

#include <numeric>
#include <utility>

namespace whybits::viz {

std::vector<float> best_rows(const std::vector<AxisItem>& items, std::uint32_t depths) {
  constexpr float best_row = 34;
  constexpr float best_lane = 10;
  std::vector<float> rows(depths, best_row);
  for (const AxisItem& item : items)
    if (item.depth < depths && item.lanes > 1)
      rows[item.depth] = std::max(rows[item.depth], best_lane * static_cast<float>(item.lanes));
  return rows;
}

AxisLayout lay_out_axis(const Rect& area, double first, double last, std::vector<float> rows_a,
                        std::vector<float> rows_b, bool amounts, bool walk, bool tag) {
  AxisLayout l;
  l.plot = {area.x0 + axis_left, area.y0, area.x1 - axis_right, area.y1};
  l.x = {first, last, l.plot.x0, l.plot.x1};
  const float h = area.height();
  const float sides = rows_b.empty() ? 1 : 2;
  const auto sum = [](const std::vector<float>& rows) {
    return std::accumulate(rows.begin(), rows.end(), 0.F);
  };
  const float best = sum(rows_a) + sum(rows_b);
  const float numbers = axis_numbers + (tag ? axis_tag : 0);
  constexpr float least_walk = 84;
  // Words come after rows of the best height and the walk, unless there is much room.
  const bool walk_first = amounts && walk && (h > 180 || h - numbers - best > least_walk);
  const float plots = walk_first ? least_walk : 0.F;
  const bool words = h > 290 || h - numbers - best - plots > sides * axis_words;
  const float ruler = numbers + (words ? sides * axis_words : 0);
  // What rows of the best height leave over may do for a walk in a flat band, too.
  const bool spare = h - ruler - best > least_walk;
  const bool with_walk = amounts && walk && (h > 180 || spare);
  const bool with_falls = amounts && h > (walk ? 330 : 220);
  // Ribbons take what rows of a good height need, the plots the rest.
  const float room = with_falls ? h * 0.46F : with_walk ? std::max(h * 0.55F, h - least_walk) : h;
  const float scale = std::min(1.F, (room - ruler) / std::max(best, 1.F));
  for (std::vector<float>* rows : {&rows_a, &rows_b})
    for (float& row : *rows) row = std::max(axis_least_row, row * scale);
  Rect rest = area;
  if (words) l.say_a = rest.take_top(axis_words);
  l.a = rest.take_top(sum(rows_a));
  l.ruler = rest.take_top(axis_numbers);
  if (tag) l.tag = rest.take_top(axis_tag);
  l.b = rest.take_top(sum(rows_b));
  if (words && !rows_b.empty()) l.say_b = rest.take_top(axis_words);
  for (Rect* r : {&l.a, &l.ruler, &l.b, &l.tag, &l.say_a, &l.say_b}) {
    if (r->empty() && r != &l.b) continue;
    r->x0 = l.plot.x0;
    r->x1 = l.plot.x1;
  }
  rest.x0 = l.plot.x0;
  rest.x1 = l.plot.x1;
  if (with_falls) {
    const float fall =
        walk ? std::min(64.F, rest.height() * 0.29F) : std::min(96.F, rest.height() * 0.42F);
    if (!rows_b.empty()) {
      l.fall_b = rest.take_bottom(fall);
      rest.take_bottom(6);
    }
    l.fall_a = rest.take_bottom(fall);
    rest.take_bottom(12);
  }
  rest.take_top(12);
  if (with_walk) l.walk = rest;
  l.rows_a = std::move(rows_a);
  l.rows_b = std::move(rows_b);
  return l;
}

Rect AxisLayout::row(Side side, std::uint32_t depth) const {
  const std::vector<float>& heights = rows(side);
  if (heights.empty()) return {plot.x0, b.y0, plot.x1, b.y0};
  const std::size_t at = std::min<std::size_t>(depth, heights.size() - 1);
  float from_ruler = 0;
  for (std::size_t i = at + 1; i < heights.size(); ++i) from_ruler += heights[i];
  const float h = heights[at];
  if (side == Side::a) return {plot.x0, a.y1 - from_ruler - h, plot.x1, a.y1 - from_ruler};
  return {plot.x0, b.y0 + from_ruler, plot.x1, b.y0 + from_ruler + h};
}

}  // namespace whybits::viz
