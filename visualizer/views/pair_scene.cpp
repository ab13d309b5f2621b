#include "visualizer/views/pair_scene.hpp"

#include <array>
#include <cmath>
#include <tuple>

#include "visualizer/app/application.hpp"
#include "visualizer/draw/widgets.hpp"
#include "visualizer/model/parting.hpp"
#include "visualizer/text/text.hpp"
#include "visualizer/views/stage.hpp"
#include "visualizer/views/why_panel.hpp"

namespace whybits::viz {

void PairScene::border(SceneFrame& frame, std::string_view name, float x, float& width,
                       float direction, float least, float most) {
  Ui& ui = frame.ui;
  const Rect r{x - gap / 2 - 2, frame.area.y0, x + gap / 2 + 2, frame.area.y1};
  const Response response = ui.region(make_id(name), r, false);
  if (response.hovered || response.held)
    ui.canvas.fill({x - 1, r.y0 + 8, x + 1, r.y1 - 8}, ui.theme.line, 1);
  if (response.held) width = std::clamp(width + direction * response.drag.x, least, most);
}

PairLayout PairScene::lay_out(SceneFrame& frame) {
  const float w = frame.area.width();
  const bool narrow = w < 1400;
  float left = left_width_ > 0 ? left_width_ : narrow ? 252.F : 300.F;
  float right = right_width_ > 0 ? right_width_ : narrow ? 286.F : 344.F;
  left = std::min(left, w * 0.28F);
  right = std::min(right, w * 0.32F);
  PairLayout l;
  Rect rest = frame.area;
  l.left = rest.take_left(left);
  rest.take_left(gap);
  l.right = rest.take_right(right);
  rest.take_right(gap);
  l.center = rest;
  float new_left = left;
  float new_right = right;
  border(frame, "border.left", l.left.x1 + gap / 2, new_left, 1, 220, w * 0.28F);
  border(frame, "border.right", l.right.x0 - gap / 2, new_right, -1, 250, w * 0.32F);
  if (new_left != left) left_width_ = new_left;
  if (new_right != right) right_width_ = new_right;
  return l;
}

namespace {

DrawnMarks marks_of_trees(const StoryModel& story) {
  const auto all = [](const AxisSide& side) {
    const std::size_t ribbons = side.ribbons.size();
    return ribbons > 0 ? side.ribbons.marks(0, ribbons - 1) : MarkCounts{};
  };
  const MarkCounts a = all(story.axis.a), b = all(story.axis.b);
  DrawnMarks drawn;
  drawn.same = a.same + b.same > 0;
  drawn.none_a = a.no_counterpart > 0;
  drawn.none_b = b.no_counterpart > 0;
  drawn.other = drawn.differs = a.other + b.other > 0;
  return drawn;
}

}  // namespace

std::optional<PairScene::Outcome> PairScene::draw(SceneFrame& frame, const PairView& view,
                                                  const Rect& stage, const Rect& right,
                                                  bool trees) {
  Ui& ui = frame.ui;
  const std::shared_ptr<const PairResult> latest = frame.document.pair();
  if (!latest || !latest->valid()) {
    frame.panels["stage"] = stage;
    Rect r = panel(ui, stage);
    panel(ui, right);
    r = r.inset(12);
    if (!latest) {
      ui.canvas.text({r.x0, r.y0}, text("stage.computing"), ui.theme.dim, Font::title);
    } else {
      ui.canvas.text({r.x0, r.y0}, text("stage.error"), ui.theme.text, Font::title);
      float y = ui.canvas.paragraph({r.x0, r.y0 + 34}, std::min(720.F, r.width()), latest->error,
                                    ui.theme.text, Font::mono);
      ui.canvas.paragraph({r.x0, y + 10}, std::min(720.F, r.width()), latest->remedy, ui.theme.dim,
                          Font::body);
    }
    return std::nullopt;
  }
  if (latest != cache_.result) {
    const float focus = cache_.focus;
    cache_.steps.clear();
    cache_.adding.clear();
    cache_.axis.reset();
    cache_.map_theme = nullptr;
    cache_.result = latest;
    cache_.focus = focus;
  }
  PairFrame f{frame, ui, cache_.result, view, view, {}, cache_};
  if (trees && f.story()) f.drawn = marks_of_trees(*f.story());
  draw_stage(f, stage);
  draw_why_panel(f, right);
  return Outcome{f.next, f.gesture};
}

void PairScene::guidance(SceneFrame& frame, Rect& column, bool claimed_above) {
  const auto& preset = frame.document.session().preset;
  if (!preset || frame.application.guidance_hidden() || preset->words().guidance.empty()) return;
  const PresetWords& words = preset->words();
  Ui& ui = frame.ui;
  Canvas& c = ui.canvas;
  const float width = column.width() - 2 * panel_padding;
  const Font font = column.height() < 760 ? Font::small : Font::body;
  const std::string& title = claimed_above ? text("guidance.title") : words.title;
  float height = 16 + c.paragraph({0, 0}, width - 22, title, 0, Font::strong, false);
  for (const std::string& sentence : words.guidance)
    height += 8 + c.paragraph({0, 0}, width - 24, sentence, 0, font, false);
  const Rect card = column.take_bottom(std::min(height + 8, column.height() * 0.62F));
  column.take_bottom(gap);
  frame.panels["guidance"] = card;
  c.fill(card, ui.theme.panel, 8);
  c.fill({card.x0, card.y0 + 8, card.x0 + 3, card.y1 - 8}, ui.theme.focus, 2);
  c.push_clip(card);
  Rect r = card.inset(panel_padding, 10);
  const Rect close{card.x1 - 34, card.y0 + 6, card.x1 - 8, card.y0 + 30};
  const Id id = make_id("guidance.close");
  const Response response = ui.region(id, close);
  if (response.hovered) c.fill(close, ui.theme.raised, 5);
  c.cross(close.center(), 4.5F, ui.theme.dim);
  ui.tip(close, text("guidance.close"));
  ui.focus_ring(id, close);
  if (response.clicked) frame.application.hide_guidance(true);
  r.y0 = c.paragraph({r.x0, r.y0}, width - 22, title, ui.theme.text, Font::strong) + 6;
  int n = 0;
  for (const std::string& sentence : words.guidance) {
    c.text({r.x0, r.y0}, std::to_string(++n), ui.theme.focus, Font::strong);
    r.y0 = c.paragraph({r.x0 + 20, r.y0}, width - 24, sentence, ui.theme.text, font) + 8;
  }
  c.pop_clip();
}

void go_on(SceneFrame& frame, Rect& column, std::span<const char* const> commands) {
  constexpr float line_height = 28;
  constexpr float title_height = 34;
  if (column.height() < title_height + 3 * line_height) return;
  Ui& ui = frame.ui;
  column.take_top(8);
  column_title(ui, column, text("go.title"));
  for (std::size_t i = 0; i < commands.size() && column.height() >= line_height; ++i) {
    const Rect line = column.take_top(line_height);
    const Id id = make_id("go", i);
    const Response response = ui.region(id, line);
    const Command& command = frame.application.command(commands[i]);
    const std::string key = chord_text(command.chord);
    const float key_w = key.empty() ? 0 : ui.canvas.width(key, Font::mono_small) + 14;
    const std::string label = command_label(command);
    const float room = line.width() - key_w - 10;
    const Font font = ui.canvas.width(label, Font::body) <= room ? Font::body : Font::small;
    ui.canvas.text_within({line.x0, line.y0 + 4}, room, label,
                          response.hovered ? ui.theme.text : ui.theme.dim, font);
    if (!key.empty()) {
      const Rect chip{line.x1 - key_w, line.y0 + 3, line.x1, line.y1 - 3};
      ui.canvas.fill(chip, ui.theme.raised, 4);
      ui.canvas.text_mid(chip.center(), key, ui.theme.text, Font::mono_small, Align::center);
    }
    ui.focus_ring(id, line, 4);
    if (response.clicked) frame.application.run(commands[i]);
  }
}

namespace {

struct Verdict {
  std::string label;
  bool differs = false;
};

Verdict verdict(const MapSummary& s) {
  if (s.differ_after > 0 && s.outputs == 1) return {text("headline.differ_only"), true};
  if (s.differ_after > 0)
    return {text("headline.differ", number(s.differ_after), number(s.outputs)), true};
  if (s.differ_before > 0)
    return {text("headline.healed", number(s.differ_before), s.format_before), true};
  return {text(s.same_tree ? "headline.same_tree" : "headline.same"), false};
}

/// Two names so short that both fit into a width.
void shorten(const Canvas& c, std::string& a, std::string& b, float width) {
  const auto wide = [&](const std::string& name) { return c.width(name, Font::title); };
  if (wide(a) + wide(b) > width) std::tie(a, b) = without_common_start(a, b);
  const float wide_a = wide(a);
  const float wide_b = wide(b);
  // The shorter name leaves to the longer one what it does not need.
  const float share = std::max(0.F, width / 2);
  a = elided(c.fonts(), Font::title, a, std::max(share, width - wide_b));
  b = elided(c.fonts(), Font::title, b, std::max(share, width - wide_a));
}

}  // namespace

void PairScene::headline(SceneFrame& frame, Rect& column, std::array<std::string, 2> names) const {
  constexpr float line = 30;
  constexpr float lettered = 28;  // a badge before each name
  constexpr float arrow = 30;
  constexpr float before = 24;  // the verdict's mark
  constexpr float mark = 20;
  Ui& ui = frame.ui;
  Canvas& c = ui.canvas;
  Rect area = column;
  if (const auto& preset = frame.document.session().preset;
      preset && !frame.application.guidance_hidden()) {
    const Rect claim = column.take_top(line);
    c.text_mid({claim.x0 + 4, claim.center().y},
               elided(c.fonts(), Font::title, preset->words().title, claim.width() - 8),
               ui.theme.text, Font::title);
  }
  const Rect sides = column.take_top(line);
  column.take_top(6);
  area.y1 = sides.y1;
  frame.panels["headline"] = area;
  const PairResult* result = cache_.result.get();
  const bool known = result && result->valid();
  const Verdict v = known ? verdict(result->summary) : Verdict{};
  const float taken = known ? before + mark + c.width(v.label, Font::title) : 0;
  shorten(c, names[0], names[1], sides.width() - 4 - 2 * lettered - arrow - taken);
  const float y = sides.center().y;
  float x = sides.x0 + 4;
  for (const int i : {0, 1}) {
    if (i == 1) {
      c.text_mid({x + arrow / 2, y}, "→", ui.theme.dim, Font::title, Align::center);
      x += arrow;
    }
    badge(ui, {x + 10, y}, i);
    x = c.text_mid({x + lettered, y}, names[static_cast<std::size_t>(i)], side(ui.theme, i).line,
                   Font::title);
  }
  if (!known) return;
  x += before;
  const Color color = v.differs ? ui.theme.differs : ui.theme.agrees;
  if (v.differs)
    c.diamond({x + 6, y}, 6, color);
  else
    c.tick({x + 6, y}, 6, color);
  c.text_mid({x + mark, y}, v.label, color, Font::title);
}

void error_table(Ui& ui, Rect& r, const PairResult* result,
                 const std::array<std::string, 2>& names) {
  if (!result || !result->valid() || !result->study || r.height() < 84) return;
  const Study& study = *result->study;
  if (study.topologies.size() < 2 || study.topologies[0].error_before.count() == 0) return;
  r.take_top(8);
  column_title(ui, r, text("why.error"), "rms");
  std::array<std::string, 2> values;
  float room = r.width() - 28 - 8;
  for (std::size_t i = 0; i < 2; ++i) {
    values[i] = fmt::format("{:.2e}", study.topologies[i].error_before.rms());
    room = std::min(room, r.width() - 28 - 8 - ui.canvas.width(values[i], Font::mono));
  }
  const auto fit = [&](Font font) {
    return std::max(ui.canvas.width(names[0], font), ui.canvas.width(names[1], font)) <= room;
  };
  for (std::size_t i = 0; i < 2; ++i) {
    const Rect line = r.take_top(24);
    const float y = line.center().y;
    badge(ui, {line.x0 + 9, y}, static_cast<int>(i), 9);
    // Cut short both names would read the same; the badge says which is which.
    if (const Font font = fit(Font::body) ? Font::body : Font::small; fit(font))
      ui.canvas.text_mid({line.x0 + 28, y}, names[i], ui.theme.dim, font);
    ui.canvas.text_mid({line.x1, y}, values[i], ui.theme.text, Font::mono, Align::right);
  }
}

void PairScene::go_on(SceneFrame& frame, Rect& column) {
  static constexpr std::array commands{"difference.next", "part.next", "side.other", "notation.a",
                                       "notation.b",      "json",      "palette"};
  viz::go_on(frame, column, commands);
}

void column_title(Ui& ui, Rect& column, std::string_view title, std::string_view tip) {
  const Rect line = column.take_top(26);
  ui.canvas.text_within({line.x0, line.y0 + 2}, line.width(), title, ui.theme.text, Font::strong);
  if (!tip.empty()) ui.term(line, tip);
}

void column_row(Ui& ui, Rect& column, std::string_view label, std::string_view value,
                std::string_view tip, bool mono) {
  if (column.height() < 20) return;
  const Rect line = column.take_top(23);
  const float room = line.width() - ui.canvas.width(label, Font::body) - 10;
  const bool wide = ui.canvas.width(value, Font::mono) > room;
  const Font font = !mono ? Font::small : wide ? Font::mono_small : Font::mono;
  const float w = std::min(ui.canvas.width(value, font), room);
  ui.canvas.text_within({line.x0, line.y0}, line.width() - w - 10, label, ui.theme.dim, Font::body);
  ui.canvas.text_within({line.x1 - w, line.y0 + 1}, w + 1, value, ui.theme.text, font);
  if (!tip.empty()) ui.term(line, tip);
}

}  // namespace whybits::viz
