// One step of a matrix unit as rows of bits in columns of equal weight: the picture of a tensor
// core. The accumulator and the products, cut at one column, their exact sum, and what the
// conversion keeps of it.
#pragma once

#include <string>

#include "lab/step_view.hpp"
#include "visualizer/draw/ui.hpp"

namespace whybits::viz {

struct StepGrid {
  const StepView* step = nullptr;
  int side = 0;              ///< 0: A, 1: B
  bool both = false;         ///< A and B have this one step: lettered with both
  int top = 0, bottom = 0;   ///< weights of the columns
  std::string title;         ///< what is added to what; empty: said elsewhere
  std::string brief, least;  ///< the same where the title has no room
};

/// Columns that both steps need, so that equal weights lie at equal places.
void share_columns(StepGrid& a, StepGrid& b);
StepGrid step_grid(const StepView& step, int side);

/// Whether its grid shows bits that fall off.
bool loses_bits(const StepView& step);

/// That a grid of this step can use.
float step_grid_height(const StepView& step);
void draw_step_grid(Ui& ui, const StepGrid& grid, const Rect& area);

}  // namespace whybits::viz
