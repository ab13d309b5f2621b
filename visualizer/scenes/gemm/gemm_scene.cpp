// The GEMM scene on screen: your row of a layer, how the library adds it at two batch sizes.
#include <algorithm>

#include "lab/text_table.hpp"
#include "visualizer/app/application.hpp"
#include "visualizer/app/overlays.hpp"
#include "visualizer/draw/widgets.hpp"
#include "visualizer/scenes/gemm/gates_view.hpp"
#include "visualizer/scenes/gemm/gemm_model.hpp"
#include "visualizer/text/text.hpp"
#include "visualizer/views/pair_scene.hpp"

namespace whybits::viz {
namespace {

class GemmScene final : public SceneView {
 public:
  std::string_view name() const override { return "gemm"; }

  void draw(SceneFrame& frame) override {
    const auto& state = std::get<GemmState>(frame.document.state());
    GemmState next = state;
    std::string gesture;
    PairLayout l = pair_.lay_out(frame);
    PairScene::guidance(frame, l.left, true);
    controls(frame, state, next, l.left);
    headline(frame, state, l.center);
    if (const Layer* layer = find_layer(state.layer);
        layer && (state.a.by_batch || state.b.by_batch)) {
      const Rect strip = l.center.take_top(108);
      frame.panels["gates"] = strip;
      const GemmState moved = draw_gates(frame.ui, *layer, state, strip, gesture);
      if (!(moved == state)) next = moved;
      l.center.take_top(gap);
    }
    if (const auto outcome = pair_.draw(frame, state.view, l.center, l.right);
        outcome && !(outcome->view == state.view)) {
      next.view = outcome->view;
      gesture = outcome->gesture;
    }
    if (!(next == state)) frame.document.change(std::move(next), gesture);
  }

 private:
  std::string side_label(const GemmState& state, Side side) const {
    const GemmChoice& choice = side == Side::a ? state.a : state.b;
    if (choice.by_batch)
      if (const Layer* layer = find_layer(state.layer))
        return phrase_text(layer->at(choice.batch).name);
    if (const PairResult* result = pair_.result())
      return phrase_text(side == Side::a ? result->a.name : result->b.name);
    return choice.notation;
  }

  void headline(SceneFrame& frame, const GemmState& state, Rect& column) const {
    const auto name = [&](Side side) {
      const GemmChoice& choice = side == Side::a ? state.a : state.b;
      const std::string tree = side_label(state, side);
      return choice.by_batch ? text("gemm.change", grouped(choice.batch), tree) : tree;
    };
    pair_.headline(frame, column, {name(Side::a), name(Side::b)});
  }

  void controls(SceneFrame& frame, const GemmState& state, GemmState& next, const Rect& area) {
    Ui& ui = frame.ui;
    frame.panels["controls"] = area;
    Rect r = panel(ui, area);
    ui.canvas.push_clip(area);
    const Layer* layer = find_layer(state.layer);
    heading(ui, r, text(state.m == 1 ? "gemm.title" : "gemm.title_rows"));
    ui.canvas.text_within({r.x0, r.y0}, r.width(), layer ? layer->title : text("gemm.own"),
                          ui.theme.text, Font::body);
    r.take_top(26);
    column_row(ui, r, text("gemm.shape"),
               fmt::format("{} × {}", grouped(state.n), grouped(state.k)), "shape");
    const bool roomy = r.height() > 330;
    if (roomy)
      column_row(ui, r, text("gemm.types"),
                 state.type_a == state.type_b ? state.type_a : state.type_a + " × " + state.type_b,
                 "types");
    if (roomy)
      column_row(ui, r, text("gemm.inputs"), state.input_a + " · " + state.input_b, "inputs");
    if (layer) column_row(ui, r, text("gemm.library"), layer->library, "library", false);
    r.take_top(8);
    column_title(ui, r, text(state.a.by_batch ? "gemm.batch" : "gemm.orders"), "batch");
    for (const Side side : {Side::a, Side::b}) choice_row(frame, state, next, side, r);
    unchanged(ui, state, r);
    hardware(ui, r);
    error_table(ui, r, pair_.result(), {side_label(state, Side::a), side_label(state, Side::b)});
    PairScene::go_on(frame, r);
    ui.canvas.pop_clip();
  }

  void choice_row(SceneFrame& frame, const GemmState& state, GemmState& next, Side side, Rect& r) {
    Ui& ui = frame.ui;
    const int index = side == Side::a ? 0 : 1;
    const GemmChoice& choice = side == Side::a ? state.a : state.b;
    const SideColors colors = viz::side(ui.theme, index);
    const Rect box = r.take_top(58);
    r.take_top(8);
    ui.canvas.fill(box, ui.theme.raised, 6);
    ui.canvas.fill({box.x0, box.y0 + 4, box.x0 + 3, box.y1 - 4}, colors.line, 2);
    badge(ui, {box.x0 + 20, box.y0 + 17}, index, 9);
    const std::string label = side_label(state, side);
    const std::string notation = topology_of(state, side);
    const auto both = [&](Font font, float width, const auto& words) {
      return elided_pair(ui.canvas.fonts(), font, {words(Side::a), words(Side::b)},
                         width)[static_cast<std::size_t>(index)];
    };
    const auto title = [&](Side which) {
      const GemmChoice& its = which == Side::a ? state.a : state.b;
      return its.by_batch ? text("gemm.m", grouped(its.batch)) : side_label(state, which);
    };
    const auto order = [&](Side which) {
      return choice.by_batch ? side_label(state, which) : topology_of(state, which);
    };
    const Font font = choice.by_batch ? Font::body : Font::mono_small;
    ui.canvas.text_mid({box.x0 + 36, box.y0 + 17}, both(Font::strong, box.width() - 48, title),
                       ui.theme.text, Font::strong);
    ui.canvas.text({box.x0 + 12, box.y0 + 32}, both(font, box.width() - 80, order), colors.line,
                   font);
    ui.tip({box.x0, box.y0, box.x1 - 70, box.y1}, label + "\n" + notation);
    if (link(ui, make_id("edit", static_cast<std::uint64_t>(index)), {box.x1 - 10, box.y0 + 34},
             text("gemm.edit"), Align::right, Font::small))
      frame.application.show(make_notation_editor(side));
    const Layer* layer = find_layer(state.layer);
    if (!choice.by_batch || !layer) return;
    const Rect up{box.x1 - 34, box.y0 + 5, box.x1 - 8, box.y0 + 29};
    const Rect down = up.moved(-30, 0);
    GemmChoice& target = side == Side::a ? next.a : next.b;
    const auto id = static_cast<std::uint64_t>(index);
    ui.tip(down, text("gemm.down"));
    ui.tip(up, text("gemm.up"));
    if (button(ui, make_id("batch.down", id), down, "‹"))
      target.batch = layer->next_change(choice.batch, -1);
    if (button(ui, make_id("batch.up", id), up, "›"))
      target.batch = layer->next_change(choice.batch, 1);
  }

  /// What is alike on both sides, so that nobody looks there for the reason.
  void unchanged(Ui& ui, const GemmState& state, Rect& r) const {
    if (r.height() < 240) return;
    r.take_top(6);
    column_title(ui, r, text("gemm.same"), "same");
    const auto line = [&](const std::string& what) {
      if (r.height() < 22) return;
      const Rect row = r.take_top(22);
      ui.canvas.text({row.x0 + 4, row.y0}, "=", ui.theme.faint, Font::strong);
      ui.canvas.text_within({row.x0 + 24, row.y0}, row.width() - 24, what, ui.theme.dim,
                            Font::body);
    };
    line(text(state.m == 1 ? "gemm.same.row" : "gemm.same.rows"));
    line(text("gemm.same.weights"));
    const PairResult* result = pair_.result();
    if (!result || !result->valid()) return;
    if (result->common.matrix_units) line(text("gemm.same.unit"));
    if (const auto& last = result->common.last_rounding)
      line(text("gemm.same.last_rounding", conversion_name(*last)));
  }

  void hardware(Ui& ui, Rect& r) const {
    const PairResult* result = pair_.result();
    if (!result || !result->valid() || r.height() < 75) return;
    r.take_top(std::min(8.F, r.height() - 75));
    if (result->hardware.empty()) {
      const Rect line = r.take_top(26);
      ui.canvas.text_within({line.x0, line.y0}, line.width(), text("gemm.not_recorded"),
                            ui.theme.dim, Font::small);
      ui.tip(line, text("gates.not_recorded_here"));
      return;
    }
    column_title(ui, r, text("gemm.hardware"), "hardware");
    for (const Side which : {Side::a, Side::b}) {
      const Rect line = r.take_top(24);
      const auto found =
          std::find_if(result->hardware.begin(), result->hardware.end(),
                       [&](const HardwareAnswer& answer) { return answer.side == which; });
      const bool recorded = found != result->hardware.end();
      const bool right = recorded && found->wrong == 0;
      const float y = line.center().y;
      badge(ui, {line.x0 + 9, y}, which == Side::a ? 0 : 1, 9);
      if (right) ui.canvas.tick({line.x0 + 32, y}, 5, ui.theme.agrees);
      if (recorded && !right) ui.canvas.diamond({line.x0 + 32, y}, 5, ui.theme.differs);
      const std::string label =
          recorded ? text("gemm.wrong", grouped(found->wrong), grouped(found->compared))
                   : text("gemm.not_recorded");
      const Color color = !recorded ? ui.theme.dim : right ? ui.theme.agrees : ui.theme.differs;
      ui.canvas.text_mid({line.x0 + (recorded ? 44.F : 28.F), y},
                         elided(ui.canvas.fonts(), Font::body, label, line.width() - 44), color,
                         Font::body);
      ui.tip(line, recorded ? text("gemm.recording", found->device, grouped(found->batch),
                                   found->recording)
                            : text("gates.not_recorded_here"));
    }
  }

  PairScene pair_;
};

}  // namespace

std::unique_ptr<SceneView> make_gemm_scene() {
  return std::make_unique<GemmScene>();
}

}  // namespace whybits::viz
