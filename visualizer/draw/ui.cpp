#include "visualizer/draw/ui.hpp"

#include <algorithm>

#include "visualizer/text/text.hpp"

namespace whybits::viz {

Id make_id(std::string_view name, std::uint64_t number) {
  std::uint64_t h = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  h = (h ^ (number + 1)) * 0x9e3779b97f4a7c15U;
  return (h ^ (h >> 29)) | 1;
}

Ui::Ui(Canvas& c, const Theme& t, const Input& input, UiMemory& memory)
    : canvas(c), theme(t), in(input), memory_(memory) {
  if (input.pressed) memory.focus_visible = false;
}

bool Ui::hovered(const Rect& r) const {
  return reacts() && r.contains(in.mouse) && memory_.active == 0;
}

Response Ui::region(Id id, const Rect& r, bool focusable) {
  Response out;
  if (!reacts()) return out;
  if (focusable && !r.empty()) order_.push_back(id);
  const bool inside = r.contains(in.mouse);
  out.hovered = inside && (memory_.active == 0 || memory_.active == id);
  if (inside && in.pressed && memory_.active == 0) {
    memory_.active = id;
    out.pressed = true;
    out.double_clicked = in.double_click;
    if (focusable) memory_.focus = id;
  }
  if (memory_.active == id) {
    out.held = in.down;
    out.drag = in.mouse - memory_.last_mouse;
    if (out.pressed) out.drag = {};
    if (in.released) {
      out.clicked = inside;
      memory_.active = 0;
    }
  }
  out.focused = memory_.focus == id;
  if (out.focused && !typing && (key_pressed(Key::enter) || key_pressed(Key::space)) && !in.ctrl)
    out.clicked = true;
  return out;
}

void Ui::tip(const Rect& r, std::string_view sentence) {
  if (hovered(r)) wanted_tip_ = sentence;
}

void Ui::term(const Rect& r, std::string_view name) {
  if (hovered(r)) wanted_tip_ = text("tip." + std::string(name));
}

void Ui::focus_ring(Id id, const Rect& r, float rounding) {
  if (memory_.focus == id && memory_.focus_visible)
    canvas.outline(r.inset(-2), theme.focus, rounding + 2, 2);
}

int Ui::arrow_x(Id id) const {
  if (memory_.focus != id || typing || !reacts()) return 0;
  return (key_pressed(Key::right, true) ? 1 : 0) - (key_pressed(Key::left, true) ? 1 : 0);
}

int Ui::arrow_y(Id id) const {
  if (memory_.focus != id || typing || !reacts()) return 0;
  return (key_pressed(Key::down, true) ? 1 : 0) - (key_pressed(Key::up, true) ? 1 : 0);
}

void Ui::finish(const Rect& screen) {
  if (key_pressed(Key::tab, true) && !order_.empty()) {
    const auto found = std::find(order_.begin(), order_.end(), memory_.focus);
    const auto n = static_cast<std::ptrdiff_t>(order_.size());
    std::ptrdiff_t at = found == order_.end() ? (in.shift ? 0 : -1) : found - order_.begin();
    at = (at + (in.shift ? n - 1 : 1)) % n;
    memory_.focus = order_[static_cast<std::size_t>(at)];
    memory_.focus_visible = true;
  }
  if (!in.down) memory_.active = 0;
  memory_.order = std::move(order_);
  memory_.last_mouse = in.mouse;

  if (wanted_tip_ != memory_.tip) {
    memory_.tip = wanted_tip_;
    memory_.tip_wait = 0;
  }
  memory_.tip_wait += in.seconds;
  if (memory_.tip.empty() || memory_.tip_wait < 0.35F || in.down) return;
  constexpr float width = 330;
  const float limit = std::min(width, canvas.width(memory_.tip, Font::small) + 1);
  const float height = canvas.paragraph({0, 0}, limit, memory_.tip, theme.text, Font::small, false);
  Rect r{in.mouse.x + 14, in.mouse.y + 18, in.mouse.x + 34 + limit, in.mouse.y + 34 + height};
  if (r.x1 > screen.x1 - 8) r = r.moved(screen.x1 - 8 - r.x1, 0);
  if (r.y1 > screen.y1 - 8) r = r.moved(0, in.mouse.y - 10 - r.y1);
  canvas.fill(r.moved(0, 3).inset(-2), theme.shadow, 8);
  canvas.fill(r, theme.raised, 6);
  canvas.outline(r, theme.line, 6, 1);
  canvas.paragraph({r.x0 + 10, r.y0 + 8}, limit, memory_.tip, theme.text, Font::small);
}

}  // namespace whybits::viz
