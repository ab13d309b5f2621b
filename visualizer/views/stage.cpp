#include "visualizer/views/stage.hpp"

#include <array>
#include <cmath>

#include "visualizer/draw/widgets.hpp"
#include "visualizer/text/text.hpp"

namespace whybits::viz {
namespace {

constexpr std::size_t levels = 4;
constexpr float lens_height = 16;

constexpr std::size_t axis_level = 1;

/// Heights of the bands where a level is looked at; the level itself takes the rest, but no more
/// than it can use: what is left then goes to the K axis. As context the map takes no more than
/// `map`.
std::array<float, levels> heights(std::size_t level, float total, float map,
                                  const std::array<float, levels>& useful) {
  const float large = std::clamp((total - 420) / 400, 0.F, 1.F);  // room for more context
  const auto between = [&](float low, float high) { return low + (high - low) * large; };
  std::array<float, levels> h{between(64, 92), between(126, 200), between(72, 128),
                              between(64, 84)};
  if (level != 0) h[0] = std::min(h[0], map);
  float others = 0;
  for (std::size_t i = 0; i < levels; ++i)
    if (i != level) others += h[i];
  // In a small window the context shrinks: the focused level keeps two fifths.
  const float most = total * 0.6F;
  if (others > most)
    for (float& height : h) height *= most / others;
  h[level] = total - std::min(others, most);
  if (level != axis_level && h[level] > useful[level]) {
    h[axis_level] += h[level] - useful[level];
    h[level] = useful[level];
  }
  return h;
}

void breadcrumb(PairFrame& f, Rect line) {
  Ui& ui = f.ui;
  const StoryModel* story = f.story();
  std::string step = text("level.step");
  if (const auto chosen = chosen_step(f)) {
    const auto [from, to] = step_leaves(*story, *chosen);
    const auto begin = static_cast<std::uint64_t>(from);
    const auto end = static_cast<std::uint64_t>(to);
    if (end > begin) step += " k " + number(begin);
    if (end > begin + 1) step += "…" + number(end - 1);
  }
  const std::array<std::string, levels> names{
      text("level.matrix"),
      story ? text("level.axis", output_name(*f.result, story->output))
            : text("level.axis", std::string()),
      step, text("level.bits")};
  float x = line.x0;
  for (std::size_t i = 0; i < levels; ++i) {
    const bool here = static_cast<std::size_t>(f.view.level) == i;
    const Font font = here ? Font::strong : Font::body;
    const float w = ui.canvas.width(names[i], font);
    const Rect r{x - 6, line.y0, x + w + 6, line.y0 + 24};
    const Id id = make_id("level", i);
    const Response response = ui.region(id, r);
    if (here || response.hovered) ui.canvas.fill(r, ui.theme.raised, 5);
    ui.canvas.text_mid({x, r.center().y}, names[i],
                       here               ? ui.theme.text
                       : response.hovered ? ui.theme.text
                                          : ui.theme.dim,
                       font);
    ui.focus_ring(id, r, 5);
    if (response.clicked) f.next.level = static_cast<Level>(i);
    x += w + 16;
    if (i + 1 < levels) {
      ui.canvas.text_mid({x - 2, r.center().y}, "›", ui.theme.faint, Font::body);
      x += 16;
    }
  }
  const std::string hint = text("stage.hint");
  if (line.x1 - x > ui.canvas.width(hint, Font::small) + 20)
    ui.canvas.text({line.x1, line.y0 + 4}, hint, ui.theme.faint, Font::small, Align::right);
}

/// What the strips and marks mean that are drawn, in one line; those that there is no room for are
/// in the help (F1).
void legend(PairFrame& f, const Rect& line) {
  Canvas& c = f.canvas();
  const Theme& t = f.theme();
  const float y = line.center().y;
  constexpr float swatch = 16;
  float x = line.x0;
  const auto entry = [&](std::string_view key, bool drawn, float mark, const auto& draw) {
    const std::string& words = text(key);
    const float w = mark + 7 + c.width(words, Font::small);
    if (!drawn || x + w > line.x1) return;
    draw(x);
    c.text_mid({x + mark + 7, y}, words, t.dim, Font::small);
    x += w + 20;
  };
  const auto strip = [&](float at, float w, Color color) {
    c.fill({at, y - 2.5F, at + w, y + 2.5F}, color, 0);
  };
  const DrawnMarks& drawn = f.drawn;
  entry("legend.same", drawn.same, swatch, [&](float at) { strip(at, swatch, same_strip(t)); });
  const bool both = drawn.none_a && drawn.none_b;
  entry("legend.none", drawn.none_a || drawn.none_b, both ? 2 * swatch + 2 : swatch, [&](float at) {
    strip(at, swatch, drawn.none_a ? t.a : t.b);
    if (both) strip(at + swatch + 2, swatch, t.b);
  });
  entry("legend.other", drawn.other, swatch, [&](float at) { strip(at, swatch, t.differs); });
  entry("legend.differs", drawn.differs, 10,
        [&](float at) { c.diamond({at + 5, y}, 5, t.differs); });
  entry("legend.lost", drawn.lost, 10,
        [&](float at) { c.fill({at, y - 6, at + 10, y + 6}, t.lost, 2); });
}

/// From a part of the band above, which ends at `top` and the band at y0, to the band below.
void lens(Canvas& c, const Theme& t, float x0, float x1, float top, float y0, const Rect& below) {
  const float least = 3;
  if (x1 - x0 < least) {
    const float middle = (x0 + x1) / 2;
    x0 = middle - least / 2;
    x1 = middle + least / 2;
  }
  const std::array<Point, 4> shape{
      {{x0, y0}, {x1, y0}, {below.x1, below.y0}, {below.x0, below.y0}}};
  c.polygon(shape, fade(t.focus, 0.10F));
  if (top < y0) {
    c.fill({x0, top, x1, y0}, fade(t.focus, 0.10F), 0);
    // Numbers that it crosses stay readable.
    c.line({x0, top}, {x0, y0}, fade(t.focus, 0.25F), 1);
    c.line({x1, top}, {x1, y0}, fade(t.focus, 0.25F), 1);
  }
  c.line({x0, y0}, {below.x0, below.y0}, fade(t.focus, 0.45F), 1);
  c.line({x1, y0}, {below.x1, below.y0}, fade(t.focus, 0.45F), 1);
}

void move_focus(PairFrame& f) {
  const auto target = static_cast<float>(f.view.level);
  float& at = f.cache.focus;
  if (at < 0 || f.scene.reduced_motion) {
    at = target;
    return;
  }
  const float step = f.ui.in.seconds * 7;
  const float distance = target - at;
  if (std::abs(distance) < 0.01F) {
    at = target;
    return;
  }
  at += distance * std::min(1.F, step);
  f.scene.moving = true;
}

}  // namespace

void draw_stage(PairFrame& f, Rect area) {
  f.scene.panels["stage"] = area;
  Rect inside = panel(f.ui, area);
  breadcrumb(f, inside.take_top(24));
  inside.take_top(8);
  move_focus(f);

  constexpr float legend_height = 18;
  Rect marks;
  if (inside.height() > 420) {
    marks = inside.take_bottom(legend_height);
    inside.take_bottom(6);
  }
  const float map = map_height(f, inside.width());
  const float total = std::max(0.F, inside.height() - lens_height * (levels - 1));
  const auto low = static_cast<std::size_t>(std::floor(f.cache.focus));
  const std::size_t high = std::min(low + 1, levels - 1);
  const float t = f.cache.focus - static_cast<float>(low);
  // One output needs no map, a few only room for the counts beside it.
  const float counts = f.result->summary.outputs == 1 ? 136.F : 300.F;
  const std::array<float, levels> useful{std::max(map, counts), total, step_height(f),
                                         bits_height(f)};
  const auto from = heights(low, total, map, useful);
  const auto to = heights(high, total, map, useful);
  std::array<Rect, levels> bands;
  std::array<float, levels> detail{};
  for (std::size_t i = 0; i < levels; ++i) {
    bands[i] = inside.take_top(from[i] + (to[i] - from[i]) * t);
    detail[i] = std::max(0.F, 1 - std::abs(static_cast<float>(i) - f.cache.focus));
    inside.take_top(lens_height);
  }
  f.scene.panels["map"] = bands[0];
  f.scene.panels["axis"] = bands[1];
  f.scene.panels["step"] = bands[2];
  f.scene.panels["bits"] = bands[3];
  // In the focused level a double click or Enter goes deeper; a click on context goes there.
  draw_map_band(f, bands[0], detail[0]);
  draw_axis_band(f, bands[1], detail[1]);
  draw_step_band(f, bands[2], detail[2]);
  draw_bits_band(f, bands[3], detail[3]);
  if (!marks.empty()) legend(f, marks);
  const Theme& theme = f.theme();
  if (f.story()) {
    const Rect cell = selected_frame(f, bands[0]);
    lens(f.canvas(), theme, std::max(cell.x0, bands[0].x0), cell.x1, cell.y1, bands[0].y1,
         bands[1]);
    const StepExtent step = step_extent(f, bands[1]);
    if (step.x1 > step.x0)
      lens(f.canvas(), theme, step.x0, step.x1, step.top, bands[1].y1, bands[2]);
  }
}

}  // namespace whybits::viz
