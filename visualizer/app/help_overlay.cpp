#include <array>

#include "visualizer/app/application.hpp"
#include "visualizer/app/overlays.hpp"
#include "visualizer/draw/widgets.hpp"
#include "visualizer/text/text.hpp"

namespace whybits::viz {
namespace {

class Help final : public Overlay {
 public:
  Rect area(const Rect& screen) const override {
    const float w = std::min(860.F, screen.width() - 40);
    const float h = std::min(600.F, screen.height() - 40);
    const Point c = screen.center();
    return {c.x - w / 2, c.y - h / 2, c.x + w / 2, c.y + h / 2};
  }

  void draw(Ui& ui, Application& application, const Rect& area) override {
    Rect r = area.inset(24, 18);
    heading(ui, r, text("help.title"), text("help.remark"));
    r.take_top(6);
    Rect left = r.take_left(r.width() * 0.52F);
    keys(ui, application, left);
    r.x0 += 24;
    marks(ui, r);
  }

 private:
  static void keys(Ui& ui, Application& application, Rect r) {
    ui.canvas.text({r.x0, r.y0}, text("help.keys"), ui.theme.text, Font::strong);
    r.take_top(26);
    const auto line = [&](std::string_view chord, std::string_view label) {
      if (r.height() < 20) return;
      const Rect row = r.take_top(21);
      ui.canvas.text({row.x0, row.y0 + 2}, chord, ui.theme.focus, Font::mono_small);
      ui.canvas.text_within({row.x0 + 120, row.y0}, row.width() - 124, label, ui.theme.text,
                            Font::small);
    };
    for (const char* key : {"help.tab", "help.arrows", "help.wheel", "help.drag", "help.fold"})
      line(text(std::string(key) + ".key"), text(key));
    for (const Command& command : application.commands())
      if (command.chord.key != Key::none) line(chord_text(command.chord), command_label(command));
  }

  static void marks(Ui& ui, Rect r) {
    Canvas& c = ui.canvas;
    const Theme& t = ui.theme;
    c.text({r.x0, r.y0}, text("help.marks"), t.text, Font::strong);
    r.take_top(30);
    const auto line = [&](std::string_view key) {
      r.y0 = c.paragraph({r.x0 + 40, r.y0}, r.width() - 40, text(key), t.text, Font::small) + 8;
    };
    badge(ui, {r.x0 + 14, r.y0 + 8}, 0, 8);
    line("help.a");
    badge(ui, {r.x0 + 14, r.y0 + 8}, 1, 8);
    line("help.b");
    c.diamond({r.x0 + 14, r.y0 + 8}, 6, t.differs);
    line("help.differs");
    c.tick({r.x0 + 14, r.y0 + 8}, 5, t.agrees);
    line("help.agrees");
    c.hatch({r.x0, r.y0 + 2, r.x0 + 28, r.y0 + 15}, t.faint, 5);
    line("help.hatched");
    c.fill({r.x0, r.y0 + 6, r.x0 + 28, r.y0 + 10}, mix(t.panel, t.faint, 0.6F));
    line("help.same");
    c.fill({r.x0, r.y0 + 6, r.x0 + 14, r.y0 + 10}, t.a);
    c.fill({r.x0 + 14, r.y0 + 6, r.x0 + 28, r.y0 + 10}, t.b);
    line("help.none");
    c.fill({r.x0, r.y0 + 6, r.x0 + 28, r.y0 + 10}, t.differs);
    line("help.other");
    c.fill({r.x0 + 8, r.y0 + 2, r.x0 + 20, r.y0 + 15}, t.lost, 2);
    line("help.lost");
  }
};

}  // namespace

std::unique_ptr<Overlay> make_help() {
  return std::make_unique<Help>();
}

}  // namespace whybits::viz
