#include "visualizer/views/pair_scene.hpp"

#include <cmath>

#include "visualizer/app/application.hpp"
#include "visualizer/draw/widgets.hpp"
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

std::optional<PairScene::Outcome> PairScene::draw(SceneFrame& frame, const PairView& view,
                                                  const Rect& stage, const Rect& right) {
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
  draw_stage(f, stage);
  draw_why_panel(f, right);
  return Outcome{f.next, f.gesture};
}

void PairScene::guidance(SceneFrame& frame, Rect& column) {
  const auto& preset = frame.document.session().preset;
  if (!preset || frame.application.guidance_hidden() || preset->guidance.empty()) return;
  Ui& ui = frame.ui;
  Canvas& c = ui.canvas;
  const float width = column.width() - 2 * panel_padding;
  const Font font = column.height() < 760 ? Font::small : Font::body;
  float height = 16 + c.paragraph({0, 0}, width - 22, preset->title, 0, Font::strong, false);
  for (const std::string& sentence : preset->guidance)
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
  r.y0 = c.paragraph({r.x0, r.y0}, width - 22, preset->title, ui.theme.text, Font::strong) + 6;
  int n = 0;
  for (const std::string& sentence : preset->guidance) {
    c.text({r.x0, r.y0}, std::to_string(++n), ui.theme.focus, Font::strong);
    r.y0 = c.paragraph({r.x0 + 20, r.y0}, width - 24, sentence, ui.theme.text, font) + 8;
  }
  c.pop_clip();
}

void PairScene::headline(SceneFrame& frame, const Rect& area, std::string_view change) const {
  Ui& ui = frame.ui;
  Canvas& c = ui.canvas;
  frame.panels["headline"] = area;
  float x = c.text_mid({area.x0 + 4, area.center().y}, change, ui.theme.text, Font::title);
  const PairResult* result = cache_.result.get();
  if (!result || !result->valid()) return;
  const MapSummary& s = result->summary;
  x += 22;
  const float room = area.x1 - x;
  if (s.differ_after > 0 || s.differ_before > 0) {
    const bool after = s.differ_after > 0;
    std::string label = after ? text("headline.differ", number(s.differ_after), number(s.outputs))
                              : text("headline.healed", number(s.differ_before), s.format_before);
    c.diamond({x + 6, area.center().y}, 6, ui.theme.differs);
    c.text_mid({x + 20, area.center().y}, elided(c.fonts(), Font::title, label, room - 20),
               ui.theme.differs, Font::title);
  } else {
    c.tick({x + 6, area.center().y}, 6, ui.theme.agrees);
    c.text_mid({x + 20, area.center().y},
               elided(c.fonts(), Font::title,
                      text(s.same_tree ? "headline.same_tree" : "headline.same"), room - 20),
               ui.theme.agrees, Font::title);
  }
}

void error_table(Ui& ui, Rect& r, const PairResult* result) {
  if (!result || !result->valid() || !result->study || r.height() < 84) return;
  const Study& study = *result->study;
  if (study.topologies.size() < 2 || study.topologies[0].error_before.count() == 0) return;
  r.take_top(8);
  column_title(ui, r, text("why.error"), "rms");
  for (int i = 0; i < 2; ++i) {
    const Rect line = r.take_top(24);
    badge(ui, {line.x0 + 9, line.center().y}, i, 9);
    const std::string value =
        fmt::format("{:.2e}", study.topologies[static_cast<std::size_t>(i)].error_before.rms());
    const std::string name = phrase_text(i == 0 ? result->a.name : result->b.name);
    ui.canvas.text_mid({line.x0 + 28, line.center().y},
                       elided(ui.canvas.fonts(), Font::body, name, line.width() - 120),
                       ui.theme.dim, Font::body);
    ui.canvas.text_mid({line.x1, line.center().y}, value, ui.theme.text, Font::mono, Align::right);
  }
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
  const Font font = mono ? Font::mono_small : Font::small;
  const float w = std::min(ui.canvas.width(value, font), line.width() * 0.72F);
  ui.canvas.text_within({line.x0, line.y0}, line.width() - w - 10, label, ui.theme.dim, Font::body);
  ui.canvas.text_within({line.x1 - w, line.y0 + 2}, w + 1, value, ui.theme.text, font);
  if (!tip.empty()) ui.term(line, tip);
}

}  // namespace whybits::viz
