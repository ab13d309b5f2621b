#include "visualizer/draw/widgets.hpp"

namespace whybits::viz {

Rect panel(Ui& ui, const Rect& r) {
  ui.canvas.fill(r, ui.theme.panel, 8);
  return r.inset(panel_padding, panel_padding - 3);
}

float heading(Ui& ui, Rect& inside, std::string_view title, std::string_view remark, float beside) {
  const Rect line = inside.take_top(24);
  const float room = line.width() - beside;
  // Smaller before it is cut.
  const Font font = ui.canvas.width(title, Font::title) <= room ? Font::title : Font::strong;
  const float end = ui.canvas.text_within({line.x0, line.y0 + (font == Font::title ? 0.F : 1.F)},
                                          room, title, ui.theme.text, font);
  if (!remark.empty())
    ui.canvas.text_within({end + 12, line.y0 + 3}, line.x1 - end - 12, remark, ui.theme.dim,
                          Font::small);
  inside.take_top(6);
  return inside.y0;
}

bool button(Ui& ui, Id id, const Rect& r, std::string_view label, bool primary) {
  const Response response = ui.region(id, r);
  const Theme& t = ui.theme;
  Color fill = primary ? t.a_fill : t.raised;
  if (response.hovered) fill = mix(fill, t.text, 0.08F);
  if (response.held) fill = mix(fill, t.text, 0.16F);
  ui.canvas.fill(r, fill, 6);
  ui.canvas.outline(r, primary ? t.a : t.line, 6, 1);
  ui.focus_ring(id, r);
  ui.canvas.text_mid(r.center(), elided(ui.canvas.fonts(), Font::body, label, r.width() - 8),
                     t.text, Font::body, Align::center);
  return response.clicked;
}

bool link(Ui& ui, Id id, Point at, std::string_view label, Align align, Font font) {
  const float w = ui.canvas.width(label, font);
  const float x = align == Align::left ? at.x : align == Align::right ? at.x - w : at.x - w / 2;
  const Rect r{x, at.y, x + w, at.y + Canvas::line_height(font)};
  const Response response = ui.region(id, r.inset(-3, -2));
  ui.canvas.text({x, at.y}, label, ui.theme.focus, font);
  if (response.hovered) ui.canvas.line({r.x0, r.y1}, {r.x1, r.y1}, ui.theme.focus, 1);
  ui.focus_ring(id, r.inset(-3, -2), 4);
  return response.clicked;
}

bool toggle(Ui& ui, Id id, Point at, std::string_view label, bool on) {
  const Theme& t = ui.theme;
  const float w = ui.canvas.width(label, Font::body);
  const Rect track{at.x, at.y + 3, at.x + 30, at.y + 19};
  const Rect r{at.x, at.y, at.x + 38 + w, at.y + 22};
  const Response response = ui.region(id, r);
  ui.canvas.fill(track, on ? t.focus : t.line, 8);
  ui.canvas.disc({on ? track.x1 - 8 : track.x0 + 8, track.center().y}, 6, t.panel);
  ui.canvas.text({at.x + 38, at.y + 1}, label, response.hovered ? t.text : t.dim, Font::body);
  ui.focus_ring(id, r.inset(-2), 6);
  return response.clicked;
}

float segmented_width(const Ui& ui, std::span<const std::string> labels) {
  float w = 0;
  for (const std::string& label : labels) w += ui.canvas.width(label, Font::small) + 24;
  return w;
}

int segmented(Ui& ui, Id id, const Rect& r, std::span<const std::string> labels, int chosen) {
  const Theme& t = ui.theme;
  ui.canvas.fill(r, t.field, 6);
  ui.canvas.outline(r, t.line, 6, 1);
  const float wanted = segmented_width(ui, labels);
  const float stretch = r.width() / wanted;
  float x = r.x0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const float w = (ui.canvas.width(labels[i], Font::small) + 24) * stretch;
    const Rect part{x, r.y0, x + w, r.y1};
    const Id part_id = id + 2 * i;
    const Response response = ui.region(part_id, part);
    const bool on = chosen == static_cast<int>(i);
    if (on) {
      ui.canvas.fill(part.inset(2), t.raised, 5);
      ui.canvas.outline(part.inset(2), t.line, 5, 1);
    }
    ui.canvas.text_mid(part.center(), labels[i], on || response.hovered ? t.text : t.dim,
                       Font::small, Align::center);
    ui.focus_ring(part_id, part.inset(2), 5);
    if (response.clicked) chosen = static_cast<int>(i);
    x += w;
  }
  return chosen;
}

void badge(Ui& ui, Point center, int which, float radius) {
  const SideColors colors = side(ui.theme, which);
  ui.canvas.disc(center, radius, colors.line);
  ui.canvas.text_mid(center, which == 0 ? "A" : "B", ui.theme.panel, Font::strong, Align::center);
}

float differs_text(Ui& ui, Point at, std::string_view label, Font font) {
  ui.canvas.diamond({at.x + 5, at.y + font_size(font) * 0.62F}, 5, ui.theme.differs);
  return ui.canvas.text({at.x + 16, at.y}, label, ui.theme.differs, font);
}

void row(Ui& ui, const Rect& r, std::string_view label, std::string_view value, float x_value,
         std::string_view tip, Font font) {
  ui.canvas.text_within({r.x0, r.y0}, x_value - r.x0 - 8, label, ui.theme.dim, Font::body);
  ui.canvas.text_within({x_value, r.y0 + 1}, r.x1 - x_value, value, ui.theme.text, font);
  if (!tip.empty()) ui.term(r, tip);
}

}  // namespace whybits::viz
