#include <algorithm>

#include "visualizer/app/application.hpp"
#include "visualizer/app/overlays.hpp"
#include "visualizer/draw/widgets.hpp"
#include "visualizer/model/palette.hpp"
#include "visualizer/text/text.hpp"

namespace whybits::viz {
namespace {

class Palette final : public Overlay {
 public:
  Rect area(const Rect& screen) const override {
    const float w = std::min(620.F, screen.width() - 40);
    const float h = std::min(470.F, screen.height() - 80);
    return {screen.center().x - w / 2, 70, screen.center().x + w / 2, 70 + h};
  }

  void draw(Ui& ui, Application& application, const Rect& area) override {
    Rect r = area.inset(14);
    if (text_field(ui, make_id("palette"), r.take_top(40), query_, first_, text("palette.hint"),
                   Font::body))
      chosen_ = 0;
    first_ = false;
    r.take_top(10);
    std::vector<std::string> labels;
    for (const Command& command : application.commands()) labels.push_back(command_label(command));
    const auto matches = match_commands(query_, labels);
    if (matches.empty()) {
      ui.canvas.text({r.x0 + 8, r.y0 + 6}, text("palette.none"), ui.theme.dim, Font::body);
      return;
    }
    const auto n = static_cast<int>(matches.size());
    if (key_pressed(Key::down, true)) chosen_ = (chosen_ + 1) % n;
    if (key_pressed(Key::up, true)) chosen_ = (chosen_ + n - 1) % n;
    chosen_ = std::clamp(chosen_, 0, n - 1);
    constexpr float line = 30;
    const int visible = std::max(1, static_cast<int>(r.height() / line));
    top_ = std::clamp(top_, std::max(0, chosen_ - visible + 1), chosen_);
    if (r.contains(ui.in.mouse) && ui.in.wheel != 0)
      top_ = std::clamp(top_ - static_cast<int>(ui.in.wheel * 3), 0, std::max(0, n - visible));
    int run = -1;
    for (int i = 0; i < visible && top_ + i < n; ++i) {
      const int index = top_ + i;
      const auto& match = matches[static_cast<std::size_t>(index)];
      const Rect row{r.x0, r.y0 + line * static_cast<float>(i), r.x1,
                     r.y0 + line * static_cast<float>(i + 1)};
      const Response response = ui.region(make_id("palette.row", match.command), row, false);
      if (index == chosen_) ui.canvas.fill(row, ui.theme.raised, 5);
      if (response.hovered && index != chosen_) ui.canvas.fill(row, fade(ui.theme.raised, 0.5F), 5);
      if (response.clicked) run = static_cast<int>(match.command);
      draw_label(ui, row, labels[match.command], match.places);
      ui.canvas.text_mid({row.x1 - 10, row.center().y},
                         chord_text(application.commands()[match.command].chord), ui.theme.dim,
                         Font::mono_small, Align::right);
    }
    if (key_pressed(Key::enter))
      run = static_cast<int>(matches[static_cast<std::size_t>(chosen_)].command);
    if (run >= 0) {
      application.close_overlay();
      const Command command = application.commands()[static_cast<std::size_t>(run)];
      command.run(application);
    }
  }

 private:
  /// Letters that were typed stand out.
  static void draw_label(Ui& ui, const Rect& row, const std::string& label,
                         const std::vector<std::size_t>& places) {
    float x = row.x0 + 10;
    std::size_t begin = 0;
    while (begin < label.size()) {
      const bool marked = std::find(places.begin(), places.end(), begin) != places.end();
      std::size_t end = begin + 1;
      const auto continues = [&](std::size_t i) {
        return (static_cast<unsigned char>(label[i]) & 0xC0) == 0x80 ||
               (std::find(places.begin(), places.end(), i) != places.end()) == marked;
      };
      while (end < label.size() && continues(end)) ++end;
      x = ui.canvas.text_mid(
          {x, row.center().y}, std::string_view(label).substr(begin, end - begin),
          marked ? ui.theme.focus : ui.theme.text, marked ? Font::strong : Font::body);
      begin = end;
    }
  }

  std::string query_;
  int chosen_ = 0, top_ = 0;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<Overlay> make_palette() {
  return std::make_unique<Palette>();
}

}  // namespace whybits::viz
