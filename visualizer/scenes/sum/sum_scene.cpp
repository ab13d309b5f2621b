// The Sum scene on screen: rows of numbers, added in two orders that one writes.
#include <algorithm>
#include <array>
#include <cmath>

#include "lab/text_table.hpp"
#include "visualizer/app/application.hpp"
#include "visualizer/app/overlays.hpp"
#include "visualizer/draw/widgets.hpp"
#include "visualizer/scenes/sum/sum_model.hpp"
#include "visualizer/text/text.hpp"
#include "visualizer/views/node_tree.hpp"
#include "visualizer/views/pair_scene.hpp"

namespace whybits::viz {
namespace {

class SumScene final : public SceneView {
 public:
  std::string_view name() const override { return "sum"; }

  void draw(SceneFrame& frame) override {
    const auto& state = std::get<SumState>(frame.document.state());
    SumState next = state;
    std::string gesture;
    PairLayout l = pair_.lay_out(frame);
    PairScene::guidance(frame, l.left, true);
    const Session& session = frame.document.session();
    const std::array<std::string, 2> names{name_of(session, Side::a), name_of(session, Side::b)};
    controls(frame, state, names, next, l.left, gesture);
    pair_.headline(frame, l.center, names);
    const bool trees = draws_trees();
    Rect tree;
    if (trees) {
      // Trees whose leaves have no names anyway leave room to the K axis.
      constexpr std::uint64_t named_leaves = 64;
      const float most = pair_.result()->story->axis.leaves > named_leaves ? 214 : 270;
      tree = l.center.take_top(
          std::min(most, l.center.height() * (l.center.height() < 640 ? 0.31F : 0.36F)));
      l.center.take_top(gap);
    }
    const auto outcome = pair_.draw(frame, state.view, l.center, l.right, trees);
    if (outcome && !(outcome->view == state.view)) {
      next.view = outcome->view;
      gesture = outcome->gesture;
    }
    if (trees && pair_.result()->story) {
      frame.panels["tree"] = tree;
      if (const auto step =
              draw_trees(frame.ui, *pair_.result()->story,
                         {{{names[0], pair_.result()->a.tree}, {names[1], pair_.result()->b.tree}}},
                         state.view.step, tree))
        next.view.step = step;
    }
    if (!(next == state)) frame.document.change(std::move(next), gesture);
  }

 private:
  bool draws_trees() const {
    return pair_.result() && pair_.result()->story &&
           pair_.result()->story->axis.leaves <= largest_drawn_tree;
  }

  std::string label(int side) const {
    const PairResult* result = pair_.result();
    if (!result) return side == 0 ? "A" : "B";
    return phrase_text(side == 0 ? result->a.name : result->b.name);
  }

  /// What the preset calls the side, or how its tree is called.
  std::string name_of(const Session& session, Side side) const {
    std::string name = session.side_name(side);
    return name.empty() ? label(side == Side::a ? 0 : 1) : name;
  }

  void controls(SceneFrame& frame, const SumState& state, const std::array<std::string, 2>& names,
                SumState& next, const Rect& area, std::string& gesture) {
    Ui& ui = frame.ui;
    frame.panels["controls"] = area;
    Rect r = panel(ui, area);
    ui.canvas.push_clip(area);
    heading(ui, r, text("sum.title"));
    count_row(ui, r, state, next, gesture);
    r.take_top(6);
    column_row(ui, r, text("sum.rows"), grouped(state.rows), "rows");
    column_row(ui, r, text("gemm.types"), state.type, "types");
    column_row(ui, r, text("gemm.inputs"), state.input, "inputs");
    r.take_top(8);
    column_title(ui, r, text("gemm.orders"), "topology");
    for (const Side side : {Side::a, Side::b}) order_row(frame, state, names, side, r);
    if (!draws_trees()) steps(ui, r);
    error_table(ui, r, pair_.result(), names);
    PairScene::go_on(frame, r);
    ui.canvas.pop_clip();
  }

  /// How many addends: a slider over powers of two and a step either way.
  static void count_row(Ui& ui, Rect& r, const SumState& state, SumState& next,
                        std::string& gesture) {
    const Rect line = r.take_top(24);
    ui.canvas.text({line.x0, line.y0}, text("sum.n"), ui.theme.dim, Font::body);
    ui.canvas.text({line.x1, line.y0 + 1}, grouped(state.n), ui.theme.text, Font::mono,
                   Align::right);
    ui.term(line, "addends");
    const Rect track = r.take_top(22);
    const Id id = make_id("sum.n");
    const Response response = ui.region(id, track);
    constexpr double most = 20;  // 2^20 addends
    const auto x_of = [&](double n) {
      return track.x0 + 8 + (track.width() - 16) * static_cast<float>(std::log2(n) / most);
    };
    const float y = track.center().y;
    const float at = x_of(static_cast<double>(std::max<std::uint64_t>(1, state.n)));
    ui.canvas.fill({track.x0 + 8, y - 2, track.x1 - 8, y + 2}, ui.theme.line, 2);
    ui.canvas.fill({track.x0 + 8, y - 2, at, y + 2}, ui.theme.focus, 2);
    ui.canvas.disc({at, y}, response.held || response.hovered ? 8.F : 7.F, ui.theme.text);
    ui.focus_ring(id, {at - 7, y - 7, at + 7, y + 7}, 7);
    const auto set = [&](std::uint64_t n) {
      next.n = std::clamp<std::uint64_t>(n, 1, std::uint64_t{1} << 20);
      next.view.first = next.view.last = 0;
      next.view.step.reset();
      next.view.folds.clear();
    };
    if (response.held && !response.pressed) {
      const float t = std::clamp((ui.in.mouse.x - track.x0 - 8) / (track.width() - 16), 0.F, 1.F);
      set(static_cast<std::uint64_t>(std::llround(std::exp2(static_cast<double>(t) * most))));
      gesture = "sum.n";
    }
    if (const int dx = ui.arrow_x(id)) {
      set(dx > 0 ? state.n + 1 : state.n - 1);
      gesture = "sum.n";
    }
  }

  static void order_row(SceneFrame& frame, const SumState& state,
                        const std::array<std::string, 2>& names, Side side, Rect& r) {
    Ui& ui = frame.ui;
    const int index = side == Side::a ? 0 : 1;
    const std::string& notation = side == Side::a ? state.a : state.b;
    const auto shown = [&](const std::array<std::string, 2>& both, Font font, float width) {
      return elided_pair(ui.canvas.fonts(), font, both, width)[static_cast<std::size_t>(index)];
    };
    const Rect box = r.take_top(58);
    r.take_top(8);
    ui.canvas.fill(box, ui.theme.raised, 6);
    const Color color = viz::side(ui.theme, index).line;
    ui.canvas.fill({box.x0, box.y0 + 4, box.x0 + 3, box.y1 - 4}, color, 2);
    badge(ui, {box.x0 + 20, box.y0 + 17}, index, 9);
    ui.canvas.text_mid({box.x0 + 36, box.y0 + 17}, shown(names, Font::strong, box.width() - 48),
                       ui.theme.text, Font::strong);
    ui.canvas.text({box.x0 + 12, box.y0 + 34},
                   shown({state.a, state.b}, Font::mono_small, box.width() - 80), color,
                   Font::mono_small);
    ui.tip({box.x0, box.y0, box.x1 - 60, box.y1}, notation);
    if (link(ui, make_id("edit", static_cast<std::uint64_t>(index)), {box.x1 - 10, box.y0 + 34},
             text("gemm.edit"), Align::right, Font::small))
      frame.application.show(make_notation_editor(side));
  }

  void steps(Ui& ui, Rect& r) const {
    const PairResult* result = pair_.result();
    if (!result || !result->valid() || r.height() < 90) return;
    r.take_top(6);
    column_title(ui, r, text("sum.trees"), "depth");
    for (const int i : {0, 1}) {
      const TreeStatistics& tree = i == 0 ? result->a.tree : result->b.tree;
      const Rect line = r.take_top(24);
      badge(ui, {line.x0 + 9, line.center().y}, i, 8);
      ui.canvas.text_within({line.x0 + 26, line.y0 + 1}, line.width() - 26,
                            text("sum.tree", grouped(tree.steps), grouped(tree.depth)),
                            ui.theme.dim, Font::body);
    }
  }

  PairScene pair_;
};

}  // namespace

std::unique_ptr<SceneView> make_sum_scene() {
  return std::make_unique<SumScene>();
}

}  // namespace whybits::viz
