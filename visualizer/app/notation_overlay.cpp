#include <array>
#include <optional>

#include "sim/notation.hpp"
#include "visualizer/app/application.hpp"
#include "visualizer/app/overlays.hpp"
#include "visualizer/draw/widgets.hpp"
#include "visualizer/scenes/gemm/gemm_model.hpp"
#include "visualizer/text/text.hpp"

namespace whybits::viz {
namespace {

std::string notation_of(const SceneState& state, Side side) {
  if (const auto* gemm = std::get_if<GemmState>(&state)) return topology_of(*gemm, side);
  if (const auto* sum = std::get_if<SumState>(&state)) return side == Side::a ? sum->a : sum->b;
  return {};
}

SceneState with_notation(SceneState state, Side side, const std::string& notation) {
  if (auto* gemm = std::get_if<GemmState>(&state)) {
    GemmChoice& choice = side == Side::a ? gemm->a : gemm->b;
    choice.by_batch = false;
    choice.notation = notation;
  }
  if (auto* sum = std::get_if<SumState>(&state)) (side == Side::a ? sum->a : sum->b) = notation;
  return state;
}

class NotationEditor final : public Overlay {
 public:
  explicit NotationEditor(Side side) : side_(side) {}

  Rect area(const Rect& screen) const override {
    const float w = std::min(820.F, screen.width() - 40);
    const float h = std::min(430.F, screen.height() - 60);
    return {screen.center().x - w / 2, 90, screen.center().x + w / 2, 90 + h};
  }

  void draw(Ui& ui, Application& application, const Rect& area) override {
    if (first_) value_ = notation_of(application.document().state(), side_);
    Rect r = area.inset(20, 16);
    badge(ui, {r.x0 + 10, r.y0 + 12}, side_ == Side::a ? 0 : 1);
    Rect title{r.x0 + 30, r.y0, r.x1, r.y1};
    heading(ui, title, text("notation.title"), text("notation.remark"));
    r.take_top(36);
    text_field(ui, make_id("notation"), r.take_top(40), value_, first_);
    first_ = false;
    r.take_top(8);
    const bool good = verdict(ui, r.take_top(100));
    r.take_top(6);
    examples(ui, r);
    Rect buttons = Rect{area.x0 + 20, area.y1 - 50, area.x1 - 20, area.y1 - 18};
    const bool ok =
        button(ui, make_id("notation.ok"), buttons.take_right(130), text("notation.use"), true);
    buttons.take_right(10);
    if (button(ui, make_id("notation.cancel"), buttons.take_right(130), text("prompt.cancel")))
      application.close_overlay();
    if (!good || !(ok || key_pressed(Key::enter))) return;
    application.document().change(with_notation(application.document().state(), side_, value_));
    application.close_overlay();
  }

 private:
  /// The message with its caret, or the tree's own words; true if it can be used.
  bool verdict(Ui& ui, Rect r) const {
    Canvas& c = ui.canvas;
    const Theme& t = ui.theme;
    try {
      const SchemaPtr schema = parse_topology(value_);
      c.tick({r.x0 + 8, r.y0 + 10}, 5, t.agrees);
      c.text_within({r.x0 + 24, r.y0}, r.width() - 24, print(*schema), t.agrees, Font::mono);
      return true;
    } catch (const NotationError& error) {
      const std::string pointed = error.pointed();
      std::size_t begin = 0;
      while (begin < pointed.size()) {
        const std::size_t end = std::min(pointed.find('\n', begin), pointed.size());
        const Rect line = r.take_top(18);
        c.text_within({line.x0 + 4, line.y0}, line.width(),
                      std::string_view(pointed).substr(begin, end - begin), t.text, Font::mono);
        begin = end + 1;
      }
    } catch (const std::exception& error) {
      c.paragraph({r.x0 + 4, r.y0}, r.width() - 8, error.what(), t.text, Font::small);
    }
    return false;
  }

  void examples(Ui& ui, Rect r) {
    struct Example {
      const char* notation;
      const char* key;
    };
    constexpr std::array<Example, 7> list{{{"fold(f32)", "notation.fold"},
                                           {"pairs(f32)", "notation.pairs"},
                                           {"halves(f32)", "notation.halves"},
                                           {"slices(256, fold(f32), fold(f32))", "notation.slices"},
                                           {"lanes(32, fold(f32), halves(f32))", "notation.lanes"},
                                           {"fold(sm90.wgmma.bf16) > bf16", "notation.wgmma"},
                                           {"exact > f32", "notation.exact"}}};
    for (std::size_t i = 0; i < list.size() && r.height() > 74; ++i) {
      const Rect row = r.take_top(25);
      if (link(ui, make_id("notation.example", i), {row.x0 + 4, row.y0}, list[i].notation,
               Align::left, Font::mono_small))
        value_ = list[i].notation;
      ui.canvas.text_within({row.x0 + 290, row.y0}, row.width() - 290, text(list[i].key),
                            ui.theme.dim, Font::small);
    }
  }

  Side side_;
  std::string value_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<Overlay> make_notation_editor(Side side) {
  return std::make_unique<NotationEditor>(side);
}

}  // namespace whybits::viz
