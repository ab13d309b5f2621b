#include "visualizer/app/application.hpp"
#include "visualizer/app/overlays.hpp"
#include "visualizer/draw/widgets.hpp"
#include "visualizer/text/text.hpp"

namespace whybits::viz {
namespace {

class Prompt final : public Overlay {
 public:
  Prompt(std::string title, std::string start, std::function<void(Application&, std::string)> done)
      : title_(std::move(title)), value_(std::move(start)), done_(std::move(done)) {}

  Rect area(const Rect& screen) const override {
    const float w = std::min(640.F, screen.width() - 40);
    return {screen.center().x - w / 2, 120, screen.center().x + w / 2, 280};
  }

  void draw(Ui& ui, Application& application, const Rect& area) override {
    Rect r = area.inset(20, 16);
    heading(ui, r, title_);
    text_field(ui, make_id("prompt"), r.take_top(40), value_, first_);
    first_ = false;
    r.take_top(14);
    Rect buttons = r.take_top(32);
    const bool ok =
        button(ui, make_id("prompt.ok"), buttons.take_right(120), text("prompt.ok"), true);
    buttons.take_right(10);
    if (button(ui, make_id("prompt.cancel"), buttons.take_right(120), text("prompt.cancel")))
      application.close_overlay();
    if ((ok || key_pressed(Key::enter)) && !value_.empty()) {
      application.close_overlay();
      done_(application, value_);
    }
  }

 private:
  std::string title_, value_;
  std::function<void(Application&, std::string)> done_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<Overlay> make_file_prompt(std::string title, std::string start,
                                          std::function<void(Application&, std::string)> done) {
  return std::make_unique<Prompt>(std::move(title), std::move(start), std::move(done));
}

}  // namespace whybits::viz
