// One step of each side at the same place of K, side by side over columns of equal weight.
#include "visualizer/draw/widgets.hpp"
#include "visualizer/model/step_title.hpp"
#include "visualizer/text/text.hpp"
#include "visualizer/views/stage.hpp"
#include "visualizer/views/step_grid.hpp"

namespace whybits::viz {

float step_height(PairFrame& f) {
  const auto chosen = chosen_step(f);
  if (!chosen) return 0;
  float height = 0;
  for (const std::optional<StepChoice>& choice : {chosen, other_step(f, *chosen)})
    if (const StepView* view = choice ? step_view(f, *choice) : nullptr)
      height = std::max(height, step_grid_height(*view));
  return height > 0 ? height : 40;  // a line of text
}

void draw_step_band(PairFrame& f, const Rect& area, float) {
  const auto chosen = chosen_step(f);
  if (!chosen) return;
  const std::vector<StepChoice> both = shown_steps(f);
  std::vector<StepGrid> grids;
  for (const StepChoice& choice : both)
    if (const StepView* view = step_view(f, choice)) {
      grids.push_back(step_grid(*view, choice.side == Side::a ? 0 : 1));
      f.drawn.lost = f.drawn.lost || loses_bits(*view);
      const StepTitle title =
          step_title(f.story()->trace(choice.side), static_cast<std::int64_t>(choice.step));
      grids.back().title = phrase_text(title.full);
      grids.back().both = f.result->summary.same_tree;
      grids.back().brief = phrase_text(title.brief);
      grids.back().least = phrase_text(title.least);
    }
  if (grids.size() == 2) share_columns(grids[0], grids[1]);
  const Id id = make_id("step");
  const Response response = f.ui.region(id, area);
  f.ui.focus_ring(id, area, 4);
  if (response.clicked && f.ui.in.released && f.view.level != Level::step)
    f.next.level = Level::step;
  if (response.hovered && f.ui.in.wheel != 0 && f.view.level == Level::step)
    f.next.level = f.ui.in.wheel > 0 ? Level::bits : Level::axis;
  if (grids.empty()) {
    f.canvas().text({area.x0, area.y0 + 8}, text("step.none"), f.theme().dim, Font::body);
    return;
  }
  constexpr float between = 28;
  const float width =
      f.result->summary.same_tree ? std::min(area.width(), 900.F) : (area.width() - between) / 2;
  float x = area.x0;
  f.canvas().push_clip(area);
  for (const StepGrid& grid : grids) {
    draw_step_grid(f.ui, grid, {x, area.y0, x + width, area.y1});
    x += width + between;
  }
  if (both.size() == 1 && !f.result->summary.same_tree)
    f.canvas().text_within({x, area.y0 + 2}, area.x1 - x,
                           text("step.no_counterpart", chosen->side == Side::a ? "B" : "A"),
                           f.theme().dim, Font::small);
  f.canvas().pop_clip();
}

}  // namespace whybits::viz
