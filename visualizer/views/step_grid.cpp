#include "visualizer/views/step_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "lab/code_text.hpp"
#include "visualizer/draw/widgets.hpp"
#include "visualizer/text/text.hpp"
#include "visualizer/views/pair_frame.hpp"

namespace whybits::viz {
namespace {

constexpr int most_columns = 72;
constexpr float least_labelled_row = 11;
constexpr float most_row = 20;
// Of a grid with everything around it: title, weights, what is lost, the line above the sum.
constexpr float head_height = 24, weights_height = 18, foot_height = 40, between_height = 10;
constexpr float lost_gap = 6;  ///< between a row and the word beside it

struct Cells {
  Rect grid;
  float w = 0, row = 0, label = 0;
  int top = 0, columns = 0;

  Rect cell(int weight, float y) const {
    const float x = grid.x0 + static_cast<float>(top - weight) * w;
    const float gap_x = w > 6 ? 0.75F : 0.25F;
    const float gap_y = row > 7 ? 0.75F : 0.5F;
    return {x + gap_x, y + gap_y, x + w - gap_x, y + row - gap_y};
  }
  float left_of(int weight) const { return grid.x0 + static_cast<float>(top - weight) * w; }
};

/// Of one row: the bits of weight ≥ kept_from count, those below fall off.
void draw_row(Ui& ui, const Cells& cells, const BitRow& row, float y, int kept_from, Color one) {
  Canvas& c = ui.canvas;
  const Theme& t = ui.theme;
  for (int i = 0; i < cells.columns; ++i) {
    const int weight = cells.top - i;
    const char digit = row.digit(weight);
    const Rect r = cells.cell(weight, y);
    const bool kept = weight >= kept_from;
    const float rounding = cells.w > 8 ? 2.F : 0.F;
    if (digit == '1') {
      c.fill(r, kept ? one : t.lost, rounding);
    } else if (digit == '0') {
      c.fill(r, kept ? t.cell : fade(t.cell, 0.5F), rounding);
    } else if (kept && cells.w > 5) {
      c.fill(
          {r.center().x - 0.75F, r.center().y - 0.75F, r.center().x + 0.75F, r.center().y + 0.75F},
          t.grid, 0);
    }
    if (digit != ' ' && cells.w >= 10 && cells.row >= 14)
      c.text_mid(r.center(), digit == '1' ? "1" : "0",
                 digit == '1' ? t.panel
                 : kept       ? t.dim
                              : t.faint,
                 Font::mono_small, Align::center);
  }
}

/// Beside a row of which bits fell off.
void lost_label(Ui& ui, const Cells& cells, float y) {
  ui.canvas.text_mid({cells.grid.x1 + lost_gap, y + cells.row / 2}, text("step.lost"),
                     ui.theme.lost, Font::small);
}

std::string row_label(const BitRow& row) {
  switch (row.kind) {
    case BitRow::Kind::accumulator:
      return text("step.acc");
    case BitRow::Kind::product:
      return text("step.product", number(static_cast<std::uint64_t>(row.leaf)));
    case BitRow::Kind::value:
      return row.leaf >= 0 ? text("step.leaf", number(static_cast<std::uint64_t>(row.leaf)))
                           : text("step.value");
    case BitRow::Kind::padding:
      return text("step.padding");
  }
  return {};
}

float label_width(const Canvas& c, const StepView& step) {
  float w = std::max(c.width(text("step.sum"), Font::mono_small),
                     c.width(step.conversion.to, Font::mono_small));
  for (const BitRow& row : step.rows) w = std::max(w, c.width(row_label(row), Font::mono_small));
  return w;
}

void row_tip(Ui& ui, const Rect& r, const BitRow& row) {
  std::string out = row_label(row) + ": " + row.text;
  if (!row.factors.empty()) out += "\n= " + row.factors;
  if (!row.cut.is_zero()) out += "\n" + text("step.row_cut", signed_short(row.cut));
  ui.tip(r, out);
}

void draw_weights(Ui& ui, const Cells& cells, float y, float end) {
  const int every = cells.w >= 10 ? 4 : 8;
  for (int i = 0; i < cells.columns; ++i) {
    const int weight = cells.top - i;
    if (weight % every != 0) continue;
    const std::string label = power_text(weight);
    const float middle = cells.left_of(weight) + cells.w / 2;
    if (middle + ui.canvas.width(label, Font::mono_small) / 2 <= end)
      ui.canvas.text({middle, y}, label, ui.theme.dim, Font::mono_small, Align::center);
  }
}

/// A matrix unit cuts and converts, an addition only rounds: a line for each.
std::vector<std::string> what_is_lost(const StepView& s) {
  const Dyadic& rounded = s.conversion.discarded;
  if (!s.aligned)
    return {rounded.is_zero() ? text("step.rounded_none")
                              : text("step.rounded_lost", signed_short(rounded))};
  const int places = s.largest_exponent - s.cut;
  return {s.cut_discarded.is_zero()
              ? text("step.cut_none", places)
              : text("step.cut_lost", places, number(s.rows_cut), signed_short(s.cut_discarded)),
          rounded.is_zero() ? text("step.conversion_none")
                            : text("step.conversion_lost", signed_short(rounded))};
}

}  // namespace

StepGrid step_grid(const StepView& step, int side) {
  StepGrid grid{&step, side, false, step.top, std::min(step.bottom, step.cut - 1), {}, {}, {}};
  grid.top = std::max(grid.top, step.largest_exponent);
  if (!step.sum.bits.empty()) grid.top = std::max(grid.top, step.sum.leading);
  grid.bottom = std::max(grid.bottom, grid.top - most_columns + 1);
  return grid;
}

void share_columns(StepGrid& a, StepGrid& b) {
  a.top = b.top = std::max(a.top, b.top);
  a.bottom = b.bottom = std::max(std::min(a.bottom, b.bottom), a.top - most_columns + 1);
}

bool loses_bits(const StepView& step) {
  return !step.conversion.discarded.is_zero() ||
         std::any_of(step.rows.begin(), step.rows.end(),
                     [](const BitRow& row) { return !row.cut.is_zero(); });
}

float step_grid_height(const StepView& step) {
  return head_height + weights_height + foot_height + between_height +
         most_row * static_cast<float>(step.rows.size() + 2);
}

void draw_step_grid(Ui& ui, const StepGrid& g, const Rect& area) {
  const StepView& s = *g.step;
  Canvas& c = ui.canvas;
  const Theme& t = ui.theme;
  const SideColors colors = side(t, g.side);
  Rect rest = area;
  // Weights above and what is lost below, where they leave the rows their height.
  const float rows_needed = least_labelled_row * static_cast<float>(s.rows.size() + 2);
  const bool roomy = area.height() > std::min(200.F, head_height + weights_height + foot_height +
                                                         between_height + rows_needed);
  if (!g.title.empty()) {
    const Rect head = rest.take_top(roomy ? head_height : 18);
    float x = head.x0;
    for (int side = g.side; side <= (g.both ? 1 : g.side); ++side) {
      badge(ui, {x + 8, head.center().y}, side, 8);
      x += 20;
    }
    const float room = head.x1 - x - 6;
    const auto fits = [&](const std::string& title) { return c.width(title, Font::small) <= room; };
    c.text_mid({x + 4, head.center().y},
               fits(g.title)   ? g.title
               : fits(g.brief) ? g.brief
                               : elided(c.fonts(), Font::small, g.least, room),
               t.text, Font::small);
    ui.tip(head,
           (fits(g.title) ? "" : g.title + "\n") + text(s.aligned ? "tip.step" : "tip.plain_step"));
  }

  Cells cells;
  cells.columns = g.top - g.bottom + 1;
  cells.top = g.top;
  const float weights = roomy ? weights_height : 0.F;
  const float foot = roomy ? foot_height : 0.F;
  const auto rows = static_cast<float>(s.rows.size());
  // Two rows below the line: the sum and the result.
  const float space = rest.height() - weights - foot - (roomy ? between_height : 4.F);
  cells.row = std::clamp(space / (rows + 2), 1.F, most_row);
  const bool labels = cells.row >= least_labelled_row;
  cells.label = labels ? label_width(c, s) + 28 : 34.F;
  const float lost = labels ? lost_gap + c.width(text("step.lost"), Font::small) : 0.F;
  cells.w = std::clamp((rest.width() - cells.label - lost) / static_cast<float>(cells.columns), 2.F,
                       20.F);
  cells.grid = {rest.x0 + cells.label, rest.y0 + weights,
                rest.x0 + cells.label + cells.w * static_cast<float>(cells.columns), rest.y1};
  if (weights > 0) draw_weights(ui, cells, rest.y0, rest.x1);

  float y = cells.grid.y0;
  const int kept = s.aligned ? s.cut : g.bottom;
  bool cut_named = false;  // one word stands for all rows that the cut shortens
  for (const BitRow& row : s.rows) {
    const bool acc = row.kind == BitRow::Kind::accumulator;
    draw_row(ui, cells, row, y, kept, acc ? colors.line : t.cell_one);
    const Rect line{rest.x0, y, cells.grid.x1, y + cells.row};
    if (labels) {
      c.text_mid({rest.x0 + cells.label - 20, line.center().y}, row_label(row),
                 acc ? colors.line : t.dim, Font::mono_small, Align::right);
      c.text_mid({rest.x0 + cells.label - 8, line.center().y}, row.negative ? "−" : "+",
                 row.bits.empty() ? t.faint : t.dim, Font::mono_small, Align::center);
      if (!row.cut.is_zero() && !std::exchange(cut_named, true)) lost_label(ui, cells, y);
    }
    row_tip(ui, line, row);
    y += cells.row;
  }
  if (!labels)
    c.text_mid({cells.grid.x0 - 6, cells.grid.y0 + std::max(cells.row / 2, 5.F)},
               text("step.acc_short"), colors.line, Font::mono_small, Align::right);
  const float below = y + (roomy ? 5.F : 2.F);
  c.line({cells.grid.x0, below}, {cells.grid.x1, below}, t.line, 1);
  y = below + (roomy ? 5.F : 2.F);
  const float sum_y = y;
  draw_row(ui, cells, s.sum, y, s.conversion.last_place, t.text);
  draw_row(ui, cells, s.result, y + cells.row, s.conversion.last_place, colors.line);
  if (labels) {
    if (!s.conversion.discarded.is_zero()) lost_label(ui, cells, y);
    c.text_mid({rest.x0 + cells.label - 20, y + cells.row / 2}, text("step.sum"), t.text,
               Font::mono_small, Align::right);
    c.text_mid({rest.x0 + cells.label - 20, y + cells.row * 1.5F}, s.conversion.to, colors.line,
               Font::mono_small, Align::right);
  }
  y += cells.row * 2;
  // The cut of the alignment through all rows, that of the conversion through the sum.
  if (s.aligned && s.cut > g.bottom) {
    const float x = cells.left_of(s.cut) + cells.w;
    c.line({x, cells.grid.y0 - 3}, {x, below}, t.text, 1.5F);
    ui.term({x - 4, cells.grid.y0, x + 4, below}, "cut");
  }
  if (s.conversion.last_place > g.bottom && s.conversion.last_place <= g.top) {
    const float x = cells.left_of(s.conversion.last_place) + cells.w;
    c.line({x, below}, {x, sum_y + cells.row * 2}, t.text, 1.5F);
    ui.term({x - 4, below, x + 4, sum_y + cells.row * 2}, "conversion");
  }
  if (foot > 0) {
    for (const std::string& line : what_is_lost(s)) {
      c.text_within({cells.grid.x0, y + 4}, rest.x1 - cells.grid.x0, line, t.dim, Font::small);
      y += 17;
    }
  }
}

}  // namespace whybits::viz
