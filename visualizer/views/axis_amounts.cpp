#include "visualizer/views/axis_amounts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "lab/code_text.hpp"
#include "visualizer/draw/label_place.hpp"
#include "visualizer/draw/widgets.hpp"
#include "visualizer/text/text.hpp"

namespace whybits::viz {
namespace {

void gutter_label(PairFrame& f, const Rect& plot, std::string_view label, std::string_view tip) {
  const Rect r{plot.x0 - axis_left, plot.y0, plot.x0 - 8, plot.y1};
  f.canvas().paragraph({r.x0, r.y0}, r.width(), label, f.theme().dim, Font::small);
  f.ui.term(r, tip);
}

/// So many steps or strips have dots of full size.
constexpr std::size_t few_points = 40;

std::vector<WalkPoint> item_errors(const AxisSide& side, const AxisItem& item,
                                   const AxisQuery& query) {
  if (item.kind == AxisItem::Kind::folded) return {folded_error(side, item)};
  return error_walk(side, item.ribbon, query);
}

/// Steps without a line through them: dots, and where many share a column their range.
void draw_points(Canvas& c, const AxisLayout& layout, const std::vector<WalkPoint>& points,
                 const Axis& y, Color color, bool many) {
  const float radius = many || points.size() > few_points ? 1.F : 2.5F;
  for (const WalkPoint& p : points) {
    const float x = layout.x.at(p.at);
    if (y.at(p.min) - y.at(p.max) > 2 * radius)
      c.line({x, y.at(p.min)}, {x, y.at(p.max)}, fade(color, 0.55F), 1);
    c.disc({x, y.at(p.last)}, radius, color);
  }
}

void walk_of(PairFrame& f, const AxisLayout& layout, Side which, const AxisQuery& query,
             const Axis& y) {
  const AxisSide& model = f.story()->axis.side(which);
  const AxisFrame& frame = *f.cache.axis;
  const SideColors colors = side(f.theme(), which == Side::a ? 0 : 1);
  Canvas& c = f.canvas();
  std::vector<Point> line;
  const std::vector<AxisItem>& items = which == Side::a ? frame.a : frame.b;
  const bool many = items.size() > 2 * few_points;
  for (const AxisItem& item : items) {
    const std::vector<WalkPoint> points = item_errors(model, item, query);
    if (points.empty()) continue;
    const bool goes_along =
        item.kind != AxisItem::Kind::folded && item.contiguous && model.ascending[item.ribbon];
    if (item.kind != AxisItem::Kind::ribbon || !goes_along) {
      line.clear();
      for (const WalkPoint& p : points) line.push_back({layout.x.at(p.at), y.at(p.last)});
      if (goes_along && line.size() > few_points)
        c.polyline(line, colors.line, 1.5F);
      else
        draw_points(c, layout, points, y, colors.line, many);
      continue;
    }
    line.clear();
    line.push_back({layout.x.at(item.first), y.at(0)});
    for (const WalkPoint& p : points) {
      const Point at{layout.x.at(p.at), y.at(p.last)};
      const float low = y.at(p.min);
      const float high = y.at(p.max);
      if (low - high > 1.5F) c.line({at.x, low}, {at.x, high}, fade(colors.line, 0.55F), 1);
      line.push_back(at);
    }
    c.polyline(line, colors.line, 1.75F);
  }
}

void extend(MinMax& range, const AxisSide& side, const std::vector<AxisItem>& items,
            const AxisQuery& query) {
  for (const AxisItem& item : items) {
    for (const WalkPoint& p : item_errors(side, item, query)) {
      range.add(p.min);
      range.add(p.max);
    }
  }
}

}  // namespace

bool has_error_walk(const PairFrame& f) {
  const auto any = [&](Side which, const std::vector<AxisItem>& items) {
    const AxisSide& side = f.story()->axis.side(which);
    return std::any_of(items.begin(), items.end(), [&](const AxisItem& item) {
      return item.kind == AxisItem::Kind::ribbon && side.ascending[item.ribbon];
    });
  };
  return any(Side::a, f.cache.axis->a) || any(Side::b, f.cache.axis->b);
}

void draw_error_walk(PairFrame& f, const AxisLayout& layout, const AxisQuery& query) {
  const Rect plot = layout.walk;
  if (plot.height() < 24) return;
  Canvas& c = f.canvas();
  const Theme& t = f.theme();
  const AxisFrame& frame = *f.cache.axis;
  gutter_label(f, plot, text("axis.error"), "error_walk");
  c.fill(plot, t.field, 3);
  MinMax range;
  range.add(0);
  extend(range, f.story()->axis.a, frame.a, query);
  extend(range, f.story()->axis.b, frame.b, query);
  double span = range.max - range.min;
  if (span <= 0) span = 1;
  // Dots at the ends are whole.
  constexpr float margin = 6;
  const Axis y{range.min, range.min + span, plot.y1 - margin, plot.y0 + margin};
  c.dashed({plot.x0, y.at(0)}, {plot.x1, y.at(0)}, t.line, 1, 4, 4);
  c.text_mid({plot.x1 + 10, y.at(0)}, text("axis.exact"), t.dim, Font::small);
  c.push_clip({plot.x0 - 4, plot.y0, plot.x1 + 4, plot.y1 + 1});
  walk_of(f, layout, Side::a, query, y);
  if (!f.result->summary.same_tree) walk_of(f, layout, Side::b, query, y);
  c.pop_clip();
  const auto scale = [&](double v) {
    if (std::abs(y.at(v) - y.at(0)) < 22) return;
    c.text_mid({plot.x1 + 10, std::clamp(y.at(v), plot.y0 + 7, plot.y1 - 7)}, signed_short(v),
               t.faint, Font::mono_small);
  };
  scale(range.max);
  scale(range.min);
}

void draw_waterfall(PairFrame& f, const AxisLayout& layout, Side which,
                    std::span<const float> lines) {
  const Rect plot = which == Side::a ? layout.fall_a : layout.fall_b;
  const auto& fall = f.story()->waterfall(which);
  if (plot.height() < 24 || !fall) return;
  Canvas& c = f.canvas();
  const Theme& t = f.theme();
  const SideColors colors = side(t, which == Side::a ? 0 : 1);
  gutter_label(f, plot,
               f.result->summary.same_tree ? text("axis.lost_both")
                                           : text("axis.lost", which == Side::a ? "A" : "B"),
               "ledger");
  // Both sides have one scale, so that heights compare.
  MinMax range;
  range.add(0);
  for (const Side s : {Side::a, Side::b})
    if (const auto& w = f.story()->waterfall(s))
      for (const WaterfallBar& bar : w->bars)
        if (bar.kind != WaterfallBar::Kind::last_rounding) {
          range.add(bar.start.to_double());
          range.add(bar.end.to_double());
        }
  double span = range.max - range.min;
  if (span <= 0) span = 1;
  const Axis y{range.min, range.min + span, plot.y1 - 4, plot.y0 + 16};
  c.push_clip({plot.x0, plot.y0, plot.x1, plot.y1 + 1});
  c.dashed({plot.x0, y.at(0)}, {plot.x1, y.at(0)}, t.line, 1, 4, 4);
  std::vector<std::pair<float, float>> taken;  // by labels; bars may come in any order along K
  const auto free = [&](float from, float to) {
    return std::none_of(taken.begin(), taken.end(), [&](const std::pair<float, float>& label) {
      return from < label.second + 8 && to > label.first - 8;
    });
  };
  for (const WaterfallBar& bar : fall->bars) {
    if (bar.kind == WaterfallBar::Kind::last_rounding) continue;
    float x0 = layout.x.at(bar.first);
    float x1 = layout.x.at(bar.last);
    const bool merge = bar.kind == WaterfallBar::Kind::merge;
    if (merge) {
      x0 = layout.plot.x1 - 8;
      x1 = layout.plot.x1;
    }
    const float a = y.at(bar.start.to_double());
    const float b = y.at(bar.end.to_double());
    const Rect r{x0 + 2, std::min(a, b), x1 - 2, std::max({a, b, std::min(a, b) + 1.5F})};
    c.fill(r, merge ? fade(colors.line, 0.9F) : mix(colors.fill, colors.line, 0.35F), 1);
    c.line({x0, b}, {x1 + 4, b}, colors.line, 1.5F);
    if (!merge) {
      const std::string label = bar.amount.is_zero() ? "0" : signed_short(bar.amount);
      const float w = c.width(label, Font::mono_small);
      const float middle = clear_center(std::max(x0, plot.x0), std::min(x1, plot.x1), w, lines);
      if (w + 6 < x1 - x0 && free(middle - w / 2, middle + w / 2)) {
        const float top = std::max(plot.y0, r.y0 - 17);
        c.text({middle, top}, label, t.text, Font::mono_small, Align::center);
        taken.emplace_back(middle - w / 2, middle + w / 2);
      }
    }
    f.ui.tip({x0, plot.y0, x1, plot.y1},
             text("axis.tip.bar", signed_short(bar.amount), signed_short(bar.end)));
  }
  c.pop_clip();
  const float x = plot.x1 + 10;
  c.text({x, plot.center().y - 17}, "= " + signed_short(fall->before_last_rounding), colors.line,
         Font::mono);
  c.text({x, plot.center().y + 2}, text("axis.result_minus_exact"), t.dim, Font::small);
}

}  // namespace whybits::viz
