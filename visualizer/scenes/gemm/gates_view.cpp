#include "visualizer/scenes/gemm/gates_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "lab/text_table.hpp"
#include "visualizer/draw/label_place.hpp"
#include "visualizer/draw/widgets.hpp"
#include "visualizer/text/text.hpp"

namespace whybits::viz {
namespace {

/// Batch 1 … last on a logarithmic axis; each batch b takes the place from b to b + 1.
struct BatchAxis {
  float x0, x1;
  double last;

  float at(double batch) const {
    return x0 + (x1 - x0) * static_cast<float>(std::log2(batch) / std::log2(last + 1));
  }
  std::uint64_t batch(float x) const {
    const double t = std::clamp(static_cast<double>((x - x0) / (x1 - x0)), 0.0, 1.0);
    return static_cast<std::uint64_t>(
        std::clamp(std::floor(std::exp2(t * std::log2(last + 1)) + 1e-9), 1.0, last));
  }
};

bool same_tree(const GateSegment& a, const GateSegment& b) {
  return a.evidence != Evidence::not_recorded && b.evidence != Evidence::not_recorded &&
         a.tree == b.tree;
}

/// Neighbouring segments with one tree: a run, drawn as one bar.
Rect run_rect(const BatchAxis& x, const GateSegment& first, const GateSegment& last,
              const Rect& bar) {
  return {x.at(static_cast<double>(first.first)) + 1, bar.y0,
          x.at(static_cast<double>(last.last) + 1) - 1, bar.y1};
}

void draw_run(Ui& ui, const Rect& r, const GateSegment& s, bool is_a, bool is_b) {
  const Theme& t = ui.theme;
  if (s.evidence == Evidence::not_recorded) {
    ui.canvas.fill(r, t.field, 4);
    ui.canvas.hatch(r, fade(t.faint, 0.55F), 7);
    return;
  }
  if (is_a && is_b) {
    ui.canvas.fill({r.x0, r.y0, r.x1, r.center().y}, t.a_fill, 0);
    ui.canvas.fill({r.x0, r.center().y, r.x1, r.y1}, t.b_fill, 0);
  } else {
    ui.canvas.fill(r, is_a ? t.a_fill : is_b ? t.b_fill : t.raised, 4);
  }
}

std::string segment_tip(const GateSegment& s) {
  std::string tip = s.first == s.last ? text("gates.one", grouped(s.first))
                                      : text("gates.range", grouped(s.first), grouped(s.last));
  switch (s.evidence) {
    case Evidence::not_recorded:
      return tip + "\n" + text("gates.not_recorded");
    case Evidence::between:
      tip += "\n" + text("gates.between");
      break;
    case Evidence::recorded:
      tip += "\n" + text("gates.recorded", s.recording);
      break;
    case Evidence::measured:
      tip += "\n" + text("gates.measured");
      break;
  }
  return tip + "\n" + s.topology;
}

/// Neighbouring segments with one tree: list[begin … end).
struct Run {
  std::size_t begin = 0, end = 0;
};

std::vector<Run> runs_of(const std::vector<GateSegment>& list) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (!runs.empty() && same_tree(list[runs.back().begin], list[i]))
      runs.back().end = i + 1;
    else
      runs.push_back({i, i + 1});
  return runs;
}

/// Whether several runs too narrow for a label lie between two of one other tree.
bool alternates(const BatchAxis& x, const std::vector<GateSegment>& list) {
  constexpr float narrow = 20;
  constexpr std::ptrdiff_t several = 3;
  const std::vector<Run> runs = runs_of(list);
  std::ptrdiff_t found = 0;
  for (std::size_t i = 1; i + 1 < runs.size(); ++i) {
    const GateSegment& before = list[runs[i - 1].begin];
    const GateSegment& after = list[runs[i + 1].begin];
    const Rect r = run_rect(x, list[runs[i].begin], list[runs[i].end - 1], {});
    const bool known = list[runs[i].begin].evidence != Evidence::not_recorded;
    found += known && same_tree(before, after) && r.width() < narrow ? 1 : 0;
  }
  return found >= several;
}

void draw_segments(Ui& ui, const BatchAxis& x, const Layer& layer, const GateSegment& a,
                   const GateSegment& b, std::span<const float> handles, const Rect& bar) {
  const Theme& t = ui.theme;
  const auto& list = layer.segments;
  for (const auto& [i, end] : runs_of(list)) {
    const Rect r = run_rect(x, list[i], list[end - 1], bar);
    const bool is_a = same_tree(list[i], a);
    const bool is_b = same_tree(list[i], b);
    draw_run(ui, r, list[i], is_a, is_b);
    if (list[i].evidence != Evidence::not_recorded) {
      // Batches that were asked have a solid foot; between them lies only a guess.
      for (std::size_t j = i; j < end; ++j) {
        if (list[j].evidence == Evidence::between) continue;
        Rect foot = run_rect(x, list[j], list[j], bar);
        foot.y0 = foot.y1 - 4;
        foot.x1 = std::max(foot.x1, foot.x0 + 3);
        foot = foot.moved(std::min(0.F, r.x1 - foot.x1), 0);
        ui.canvas.fill(foot, is_a ? t.a : is_b ? t.b : t.faint, 0);
      }
      ui.canvas.outline(r, is_a ? t.a : is_b ? t.b : t.line, 4, 1);
      const std::string label = text_with(list[i].name.key, list[i].name.values);
      const float w = ui.canvas.width(label, Font::small);
      if (w + 10 < r.width())
        ui.canvas.text_mid({clear_center(r.x0, r.x1, w, handles, 6), r.center().y - 1}, label,
                           t.text, Font::small, Align::center);
    }
    for (std::size_t j = i; j < end; ++j)
      ui.tip(run_rect(x, list[j], list[j], bar), segment_tip(list[j]));
  }
}

void ticks(Ui& ui, const BatchAxis& x, const Layer& layer, float y) {
  float end = -1e6F;
  const auto label = [&](std::uint64_t batch) {
    const std::string value = grouped(batch);
    const float w = ui.canvas.width(value, Font::mono_small);
    const float at = x.at(static_cast<double>(batch));
    const float left = std::clamp(at - 2, x.x0, x.x1 - w);
    if (left < end + 8) return;
    ui.canvas.text({left, y}, value, ui.theme.dim, Font::mono_small);
    end = left + w;
  };
  for (std::uint64_t batch = 1; batch <= layer.last_batch(); batch *= 4) label(batch);
}

void draw_head(Ui& ui, const Rect& head, const Layer& layer, bool alternating) {
  const float title_end =
      ui.canvas.text({head.x0, head.y0}, text("gates.title"), ui.theme.text, Font::title);
  float room_end = head.x1;
  if (std::any_of(layer.segments.begin(), layer.segments.end(),
                  [](const GateSegment& s) { return s.evidence == Evidence::not_recorded; })) {
    const std::string& unknown = text("gates.hatched");
    const float x = head.x1 - ui.canvas.width(unknown, Font::small);
    ui.canvas.text({x, head.y0 + 4}, unknown, ui.theme.dim, Font::small);
    ui.canvas.hatch({x - 28, head.y0 + 6, x - 8, head.y0 + 18}, ui.theme.faint, 5);
    room_end = x - 48;
  }
  const auto remark = [&](const std::string& words) {
    const float x = title_end + 14;
    if (x + ui.canvas.width(words, Font::small) > room_end) return false;
    ui.canvas.text({x, head.y0 + 4}, words, ui.theme.dim, Font::small);
    return true;
  };
  if (!alternating || !remark(text("gates.remark") + " · " + text("gates.alternates")))
    remark(text("gates.remark"));
}

}  // namespace

GemmState draw_gates(Ui& ui, const Layer& layer, const GemmState& state, const Rect& area,
                     std::string& gesture) {
  Rect r = panel(ui, area);
  Rect head = r.take_top(24);
  const BatchAxis x{r.x0 + 58, r.x1 - 14, static_cast<double>(layer.last_batch())};
  draw_head(ui, head, layer, alternates(x, layer.segments));

  const float bar_top = r.y0 + 22;
  const Rect bar{x.x0, bar_top, x.x1, bar_top + 26};
  ui.canvas.text_mid({r.x0, bar.center().y}, text("gates.batch"), ui.theme.dim, Font::small);
  ui.term({r.x0, bar.y0, bar.x0 - 6, bar.y1}, "batch");
  const GateSegment& at_a = layer.at(state.a.batch);
  const GateSegment& at_b = layer.at(state.b.batch);
  const auto handle = [&](const GemmChoice& choice) {
    return choice.by_batch ? x.at(static_cast<double>(choice.batch)) : x.x0;
  };
  draw_segments(ui, x, layer, at_a, at_b, std::array{handle(state.a), handle(state.b)}, bar);
  ticks(ui, x, layer, bar.y1 + 4);

  GemmState next = state;
  for (const int which : {1, 0}) {
    GemmChoice& choice = which == 0 ? next.a : next.b;
    if (!choice.by_batch) continue;
    const float at = x.at(static_cast<double>(choice.batch));
    // Where both rest on one batch the letters stand side by side.
    const bool together = state.a.by_batch && state.b.by_batch && state.a.batch == state.b.batch;
    const float shift = together ? (which == 0 ? -10.F : 10.F) : 0.F;
    const Point knob{at + shift, bar.y0 - 11};
    const Rect hit{knob.x - 12, knob.y - 12, knob.x + 12, bar.y1};
    const Id id = make_id("gate", static_cast<std::uint64_t>(which));
    const Response response = ui.region(id, hit);
    const Color color = side(ui.theme, which).line;
    ui.canvas.line({at, bar.y0 - 2}, {at, bar.y1 + 3}, color, 2.5F);
    badge(ui, knob, which, response.hovered || response.held ? 11.F : 10.F);
    ui.focus_ring(id, {knob.x - 10, knob.y - 10, knob.x + 10, knob.y + 10}, 10);
    ui.tip(hit, text("gates.handle", which == 0 ? "A" : "B", grouped(choice.batch)));
    if (response.held && !response.pressed) {
      choice.batch = layer.nearest_known(x.batch(ui.in.mouse.x - shift));
      gesture = which == 0 ? "gate.a" : "gate.b";
    }
    if (const int dx = ui.arrow_x(id)) choice.batch = layer.next_change(choice.batch, dx);
  }
  return next;
}

}  // namespace whybits::viz
