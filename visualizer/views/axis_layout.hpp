// Where the parts of the K axis lie in a band: A's merges and ribbons above the ruler, B's below
// it, then the error walk and the two waterfalls, all over one x axis.
#pragma once

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
  float row_a = 0, row_b = 0;

  /// The row of an item of A or B: the deepest lie at the ruler.
  Rect row(Side side, std::uint32_t depth, std::uint32_t depths) const;
};

constexpr float axis_left = 66;     ///< gutter for labels
constexpr float axis_right = 150;   ///< gutter for results
constexpr float axis_numbers = 24;  ///< height of the ruler's numbers
constexpr float axis_tag = 24;      ///< and of the tag below them
constexpr float axis_least_row = 6;

/// `amounts`: what was lost is known; `walk`: some accumulator goes along K.
AxisLayout lay_out_axis(const Rect& area, double first, double last, std::uint32_t depth_a,
                        std::uint32_t depth_b, bool amounts, bool walk, bool tag);

}  // namespace whybits::viz
