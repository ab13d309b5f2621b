// Where the parts of the K axis lie in a band: A's merges and ribbons above the ruler, B's below
// it, then the error walk and the two waterfalls, all over one x axis.
#pragma once

#include <vector>

#include "visualizer/draw/geometry.hpp"
#include "visualizer/model/k_axis.hpp"

namespace whybits::viz {

struct AxisLayout {
  Axis x;
  Rect plot;            ///< between the gutters
  Rect a, ruler, b;     ///< a and b hold one row a depth
  Rect tag;             ///< a line below the ruler's numbers; empty unless asked for
  Rect walk;            ///< empty where there is no room
  Rect fall_a, fall_b;  ///< the same
  Rect say_a, say_b;    ///< what the strips are, in words, above A and below B; the same
  std::vector<float> rows_a, rows_b;  ///< heights, by depth

  const std::vector<float>& rows(Side side) const { return side == Side::a ? rows_a : rows_b; }
  /// The row of an item of A or B: the deepest lie at the ruler.
  Rect row(Side side, std::uint32_t depth) const;
};

constexpr float axis_left = 66;     ///< gutter for labels
constexpr float axis_right = 150;   ///< gutter for results
constexpr float axis_numbers = 24;  ///< height of the ruler's numbers
constexpr float axis_tag = 24;      ///< and of the tag below them
constexpr float axis_words = 20;    ///< and of what is said about the strips
constexpr float axis_least_row = 6;

/// The heights that rows would have, by depth: more where strips lie across one another.
std::vector<float> best_rows(const std::vector<AxisItem>& items, std::uint32_t depths);

/// `rows_a`, `rows_b`: best heights; B's are empty where both are one. `amounts`: what was lost is
/// known; `walk`: so are the errors along K.
AxisLayout lay_out_axis(const Rect& area, double first, double last, std::vector<float> rows_a,
                        std::vector<float> rows_b, bool amounts, bool walk, bool tag);

}  // namespace whybits::viz
