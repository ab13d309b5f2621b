#include "visualizer/app/application.hpp"

#include <array>
#include <cmath>

#include "lab/usage_error.hpp"
#include "visualizer/app/overlays.hpp"
#include "visualizer/app/session_store.hpp"
#include "visualizer/draw/svg_canvas.hpp"
#include "visualizer/draw/widgets.hpp"
#include "visualizer/text/text.hpp"

namespace whybits::viz {
namespace {

constexpr float bar_height = 48;

}  // namespace

Application::Application(const Settings& settings, const std::function<void()>& wake)
    : settings_(settings), document_(wake), commands_(make_commands()) {
  sessions = session_folder();
  set_language(settings_.language);
  scenes_.push_back(make_bits_scene());
  scenes_.push_back(make_sum_scene());
  scenes_.push_back(make_gemm_scene());
}

Application::~Application() = default;

bool Application::animating() const {
  return moving_ || next_overlay_ || closing_ || !document_.current() || message_left_ > 0;
}

Rect Application::panel_rect(std::string_view name) const {
  const auto found = panels_.find(std::string(name));
  if (found != panels_.end()) return found->second;
  std::string names;
  for (const auto& [panel, rect] : panels_) names += (names.empty() ? "" : ", ") + panel;
  throw UsageError("there is no panel '" + std::string(name) + "' in this scene",
                   "panels: " + names);
}

void Application::run(std::string_view name) {
  command(name).run(*this);
}

const Command& Application::command(std::string_view name) const {
  for (const Command& command : commands_)
    if (command.name == name) return command;
  throw UsageError("there is no command '" + std::string(name) + "'");
}

void Application::show(std::unique_ptr<Overlay> overlay) {
  next_overlay_ = std::move(overlay);
}

void Application::notify(std::string message, bool bad) {
  message_ = std::move(message);
  message_bad_ = bad;
  message_left_ = bad ? 8.F : 4.F;
}

Wishes Application::take_wishes() {
  return std::exchange(wishes_, {});
}

bool Application::guidance_hidden() const {
  const auto& preset = document_.session().preset;
  return !preset || guidance_hidden_for_ == preset->name;
}

void Application::hide_guidance(bool hidden) {
  const auto& preset = document_.session().preset;
  guidance_hidden_for_ = hidden && preset ? preset->name : std::string();
}

void Application::read_lesson(const std::filesystem::path& file) {
  lesson_.emplace(file);
  settings_.characters = lesson_->text();
}

void Application::show_or_hide_lesson() {
  if (lesson_)
    lesson_hidden_ = !lesson_hidden_;
  else
    notify(text("note.no_lesson"));
}

void Application::draw_scene(Ui& ui, const Rect& area) {
  Rect rest = area;
  if (lesson_ && lesson_->refresh()) settings_.characters = lesson_->text();
  if (lesson_ && !lesson_hidden_) lesson_->draw(ui, panels_, rest);
  SceneFrame frame{ui, *this, document_, rest, panels_, settings_.reduced_motion, moving_};
  for (const auto& scene : scenes_)
    if (scene->name() == document_.scene()) scene->draw(frame);
}

std::string Application::panel_svg(std::string_view name) {
  const Rect r = panel_rect(name);
  // Twice the same code on another canvas: nothing reacts, nothing is remembered.
  UiMemory memory;
  const Input none;
  SvgCanvas canvas(r, *last_fonts_, theme(settings_.theme).panel);
  Ui ui(canvas, theme(settings_.theme), none, memory);
  ui.set_top_layer(1);
  draw_scene(ui, body_);
  return canvas.document(text("app.svg", name));
}

void Application::frame(Canvas& canvas, const Input& input, const Rect& screen) {
  set_language(settings_.language);
  last_fonts_ = &canvas.fonts();
  moving_ = false;
  panels_.clear();
  panels_["all"] = screen;
  if (closing_) overlay_.reset();
  closing_ = false;
  if (next_overlay_) overlay_ = std::move(next_overlay_);
  Ui ui(canvas, theme(settings_.theme), input, memory_);
  ui.set_top_layer(overlay_ ? 1 : 0);
  Rect rest = screen;
  top_bar(ui, rest.take_top(bar_height));
  body_ = rest.inset(gap, 0);
  body_.y1 -= gap;
  draw_scene(ui, body_);
  if (!input.down) document_.settle();
  if (overlay_) {
    ui.set_layer(1);
    canvas.fill(screen, fade(ui.theme.background, 0.72F));
    const Rect area = overlay_->area(screen);
    panels_["overlay"] = area;
    canvas.fill(area.moved(0, 6).inset(-3), ui.theme.shadow, 12);
    canvas.fill(area, ui.theme.panel, 10);
    canvas.outline(area, ui.theme.line, 10, 1);
    overlay_->draw(ui, *this, area);
    if (key_pressed(Key::escape) || (input.pressed && !area.contains(input.mouse))) closing_ = true;
  }
  toast(ui, screen);
  keys(ui);
  ui.finish(screen);
}

void Application::keys(Ui& ui) {
  if (closing_) return;
  for (const Command& command : commands_) {
    const Chord& chord = command.chord;
    if (chord.key == Key::none || !key_pressed(chord.key)) continue;
    if (chord.ctrl != ui.in.ctrl || chord.shift != ui.in.shift) continue;
    if (overlay_ && !chord.ctrl) continue;  // the overlay has the keyboard
    if (ui.typing && (!chord.ctrl || chord.key == Key::c || chord.key == Key::z)) continue;
    command.run(*this);
    return;
  }
}

void Application::top_bar(Ui& ui, Rect area) {
  Canvas& c = ui.canvas;
  const Theme& t = ui.theme;
  area = area.inset(gap, 0);
  const float y = area.center().y;
  area.x0 = c.text_mid({area.x0 + 4, y}, "whybits", t.text, Font::title) + 26;
  for (const auto& scene : scenes_) {
    const std::string& label = text("scene." + std::string(scene->name()));
    const float w = c.width(label, Font::body) + 32;
    const Rect tab{area.x0, y - 16, area.x0 + w, y + 16};
    const Id id = make_id("tab", tab_number(scene->name()));
    const Response response = ui.region(id, tab);
    const bool here = scene->name() == document_.scene();
    if (here || response.hovered) c.fill(tab, here ? t.raised : t.panel, 6);
    c.text_mid(tab.center(), label, here ? t.text : t.dim, here ? Font::strong : Font::body,
               Align::center);
    ui.focus_ring(id, tab);
    if (response.clicked) document_.switch_scene(scene->name());
    area.x0 += w + 4;
  }
  struct Entry {
    const char* command;
    std::string label;
  };
  const std::array<Entry, 5> entries{
      {{"scale.up", "+"},
       {"scale.down", "−"},
       {"language.next", settings_.language == Language::english ? "EN" : "中文"},
       {"theme.next", text(settings_.theme == ThemeName::dark ? "bar.dark" : "bar.light")},
       {"palette", "Ctrl+K  " + text("bar.commands")}}};
  float x = area.x1;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const float w = c.width(entries[i].label, Font::small) + 20;
    const Rect r{x - w, y - 14, x, y + 14};
    const Id id = make_id("bar", i);
    const Response response = ui.region(id, r);
    if (response.hovered) c.fill(r, t.raised, 6);
    c.text_mid(r.center(), entries[i].label, response.hovered ? t.text : t.dim, Font::small,
               Align::center);
    ui.focus_ring(id, r);
    ui.tip(r, text("command." + std::string(entries[i].command)));
    if (response.clicked) run(entries[i].command);
    x -= w;
    if (i == 0) {
      const std::string percent = std::to_string(std::lround(settings_.scale * 100)) + " %";
      c.text_mid({x - 22, y}, percent, t.dim, Font::small, Align::center);
      x -= 44;
    } else {
      x -= 2;
    }
  }
  const WorkProgress work = document_.progress();
  if (work.busy && work.seconds > 0.15) {
    const std::string label = text("bar.computing");
    const float w = 90;
    const Rect track{x - w - 10, y - 3, x - 10, y + 3};
    c.text_mid({track.x0 - 10, y}, label, t.dim, Font::small, Align::right);
    c.fill(track, t.raised, 3);
    c.fill({track.x0, track.y0, track.x0 + w * static_cast<float>(work.share), track.y1}, t.focus,
           3);
  }
}

std::uint64_t Application::tab_number(std::string_view scene) const {
  std::uint64_t number = 0;
  for (const auto& s : scenes_) {
    if (s->name() == scene) return number;
    ++number;
  }
  return number;
}

void Application::toast(Ui& ui, const Rect& screen) {
  if (message_left_ <= 0) return;
  message_left_ -= ui.in.seconds;
  const float limit = std::min(640.F, screen.width() - 80);
  const float w = std::min(limit, ui.canvas.width(message_, Font::body));
  const float h = ui.canvas.paragraph({0, 0}, w + 1, message_, 0, Font::body, false);
  const Rect r{screen.center().x - w / 2 - 18, screen.y1 - 40 - h, screen.center().x + w / 2 + 18,
               screen.y1 - 18};
  ui.canvas.fill(r.moved(0, 3).inset(-2), ui.theme.shadow, 8);
  ui.canvas.fill(r, ui.theme.raised, 8);
  ui.canvas.outline(r, ui.theme.line, 8, 1);
  const float x = r.x0 + 18;
  if (message_bad_) ui.canvas.fill({r.x0, r.y0 + 6, r.x0 + 4, r.y1 - 6}, ui.theme.text, 2);
  ui.canvas.paragraph({x, r.y0 + 11}, w + 1, message_, ui.theme.text, Font::body);
}

}  // namespace whybits::viz
