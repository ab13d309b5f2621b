// All outputs: a heat map, and beside it how many differ and by how much.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>
#include <string>

#include "lab/code_text.hpp"
#include "lab/decimal.hpp"
#include "visualizer/draw/widgets.hpp"
#include "visualizer/text/text.hpp"
#include "visualizer/views/stage.hpp"

namespace whybits::viz {
namespace {

/// Marks and the frame of the selected output stand out over the border of the map.
constexpr float overhang = 10;

struct MapAreas {
  Rect map, side;
};

/// The map never has cells larger than one needs to press them.
MapAreas areas(const Rect& area, const MapLayout& layout) {
  constexpr float largest = 40;
  Rect rest = area;
  Rect side = rest.take_right(std::clamp(area.width() * 0.28F, 210.F, 270.F));
  side.x0 += 18;
  if (layout.outputs == 1) return {rest.take_top(std::min(largest, rest.height())), side};
  rest.x1 = std::min(rest.x1, rest.x0 + largest * static_cast<float>(layout.columns));
  rest.y1 = std::min(rest.y1, rest.y0 + largest * static_cast<float>(layout.rows));
  return {rest, side};
}

/// Cells have the aspect of the layout unless the area is much flatter.
Rect cell_rect(const Rect& map, const MapLayout& layout, std::uint64_t output) {
  const std::uint64_t row = output / layout.columns;
  const std::uint64_t column = output % layout.columns;
  const float w = map.width() / static_cast<float>(layout.columns);
  const float h = map.height() / static_cast<float>(layout.rows);
  const float x = map.x0 + static_cast<float>(column) * w;
  const float y = map.y0 + static_cast<float>(row) * h;
  return {x, y, x + w, y + h};
}

Color cell_color(const Theme& t, const PairView& view, const MapCell& cell, double largest) {
  if (cell.outputs == 0) return t.panel;
  if (view.measure == MapMeasure::differs)
    return cell.differ > 0 ? mix(t.cell, t.differs, 0.35F) : t.cell;
  if (std::isnan(cell.max) || largest <= 0) return t.cell;
  const auto share = static_cast<float>(std::sqrt(static_cast<double>(cell.max) / largest));
  const Color strong = view.measure == MapMeasure::ulp       ? t.differs
                       : view.measure == MapMeasure::error_a ? t.a
                                                             : t.b;
  return mix(t.cell, strong, std::clamp(share, 0.F, 1.F));
}

void update_image(PairFrame& f, const Rect& map) {
  PairCache& cache = f.cache;
  const OutputMap& outputs = *f.result->map;
  const float scale = f.canvas().fonts().scale;
  const std::size_t level = outputs.level_for(static_cast<std::uint64_t>(map.width() * scale),
                                              static_cast<std::uint64_t>(map.height() * scale));
  if (cache.map_theme == &f.theme() && cache.map_level == level && cache.map_image.width > 0)
    return;
  cache.map_theme = &f.theme();
  cache.map_level = level;
  Image& image = cache.map_image;
  image.width = static_cast<int>(outputs.columns(level));
  image.height = static_cast<int>(outputs.rows(level));
  ++image.version;
  image.pixels.clear();
  for (std::uint64_t r = 0; r < outputs.rows(level); ++r)
    for (std::uint64_t c = 0; c < outputs.columns(level); ++c)
      image.pixels.push_back(
          cell_color(f.theme(), f.view, outputs.cell(level, r, c), outputs.largest()));
}

/// Which differ, as marks that no zoom can hide.
void draw_marks(PairFrame& f, const Rect& map) {
  const PairComparison& pair = f.result->study->pairs[0];
  const auto& where = f.view.before_last_rounding ? pair.before.where : pair.after.where;
  constexpr std::size_t most = 1500;  // more of them are seen as area
  if (where.size() > most) return;
  const MapLayout& layout = f.result->map->layout();
  if (layout.outputs == 1) return;  // said in words
  const Rect first = cell_rect(map, layout, 0);
  const float radius = std::clamp(std::min(first.width(), first.height()) * 0.5F, 3.F, 6.F);
  if (first.width() >= 34 && first.height() >= 34 && layout.outputs <= 64)
    for (std::uint64_t i = 0; i < layout.outputs; ++i) {
      const Rect cell = cell_rect(map, layout, i);
      f.canvas().outline(cell, f.theme().panel, 0, 1);
      f.canvas().text({cell.x0 + 4, cell.y0 + 1}, std::to_string(i), f.theme().dim,
                      Font::mono_small);
    }
  for (const std::size_t output : where)
    f.canvas().diamond(cell_rect(map, layout, output).center(), radius, f.theme().differs);
}

void hover_and_click(PairFrame& f, const Rect& map) {
  const MapLayout& layout = f.result->map->layout();
  const Id id = make_id("map");
  const Response response = f.ui.region(id, map);
  f.ui.focus_ring(id, map, 4);
  const std::uint64_t now = f.story() ? f.story()->output : 0;
  const int dx = f.ui.arrow_x(id);
  const int dy = f.ui.arrow_y(id);
  if (dx || dy) {
    const std::int64_t to =
        static_cast<std::int64_t>(now) + dx + dy * static_cast<std::int64_t>(layout.columns);
    if (to >= 0 && to < static_cast<std::int64_t>(layout.outputs)) {
      f.next.output = static_cast<std::uint64_t>(to);
      f.next.step.reset();
    }
    return;
  }
  if (!response.hovered) return;
  const auto column = static_cast<std::uint64_t>(
      std::clamp((f.ui.in.mouse.x - map.x0) / map.width(), 0.F, 0.9999F) *
      static_cast<float>(layout.columns));
  const auto row = static_cast<std::uint64_t>(
      std::clamp((f.ui.in.mouse.y - map.y0) / map.height(), 0.F, 0.9999F) *
      static_cast<float>(layout.rows));
  const auto output = layout.output_at(row, column);
  if (!output) return;
  const Study& study = *f.result->study;
  const TopologyOutputs& a = study.topologies[0];
  const TopologyOutputs& b = study.topologies[1];
  const Format& format = a.reduction.output;
  f.ui.tip(map, text("map.tip", output_name(*f.result, *output),
                     display_decimal(format, a.after[*output]),
                     display_decimal(b.reduction.output, b.after[*output])));
  if (response.clicked) {
    f.next.output = output;
    f.next.step.reset();
    if (f.view.level == Level::matrix && response.double_clicked) f.next.level = Level::axis;
  }
}

/// One output has no map: its two results stand there in words.
void draw_only_output(PairFrame& f, const Rect& r) {
  Canvas& c = f.canvas();
  const Theme& t = f.theme();
  const Study& study = *f.result->study;
  const bool differs = f.result->summary.differ_after > 0;
  const float y = r.center().y;
  c.fill(r, t.raised, 4);  // over the heat map: values must be read
  c.outline(r, differs ? t.differs : t.line, 4, 1);
  if (differs)
    c.diamond({r.x0 + 18, y}, 6, t.differs);
  else
    c.tick({r.x0 + 18, y}, 6, t.agrees);
  float x = c.text_mid({r.x0 + 36, y}, text("map.only"), t.text, Font::strong) + 22;
  for (const int i : {0, 1}) {
    const TopologyOutputs& outputs = study.topologies[static_cast<std::size_t>(i)];
    badge(f.ui, {x + 9, y}, i, 9);
    x = c.text_mid({x + 26, y}, display_decimal(outputs.reduction.output, outputs.after[0]),
                   viz::side(t, i).line, Font::mono) +
        24;
  }
}

std::string range_text(const MapSummary::Bucket& bucket) {
  return bucket.low == bucket.high ? std::to_string(bucket.low)
                                   : fmt::format("{}–{}", bucket.low, bucket.high);
}

/// Names the bars of a plot below it: the last one, and from the left those that keep clear of the
/// names so far.
void name_bars(Canvas& c, const Theme& t, std::span<const MapSummary::Bucket> buckets, float w,
               const Rect& plot) {
  constexpr float gap = 8;
  const auto half = [&](std::size_t i) {
    return c.width(range_text(buckets[i]), Font::mono_small) / 2;
  };
  const auto middle = [&](std::size_t i) {
    return std::min(plot.x0 + (static_cast<float>(i) + 0.5F) * w, plot.x1 - half(i));
  };
  const auto name = [&](std::size_t i) {
    c.text({middle(i), plot.y1 + 3}, range_text(buckets[i]), t.dim, Font::mono_small,
           Align::center);
  };
  const std::size_t last = buckets.size() - 1;
  name(last);
  float taken = plot.x0 - gap;
  for (std::size_t i = 0; i < last; ++i) {
    if (middle(i) - half(i) < taken + gap) continue;
    if (middle(i) + half(i) + gap > middle(last) - half(last)) break;
    name(i);
    taken = middle(i) + half(i);
  }
}

void histogram(PairFrame& f, const Rect& r) {
  const MapSummary& s = f.result->summary;
  const auto& buckets = f.view.before_last_rounding ? s.ulp_before : s.ulp_after;
  if (buckets.empty()) return;
  Canvas& c = f.canvas();
  const Theme& t = f.theme();
  c.text({r.x0, r.y0}, text("map.ulp"), t.dim, Font::small);
  f.ui.term({r.x0, r.y0, r.x1, r.y0 + 18}, "ulp");
  const Rect plot{r.x0, r.y0 + 40, r.x1, r.y1 - 20};
  if (plot.height() < 16) return;
  std::uint64_t most = 1;
  for (const auto& bucket : buckets) most = std::max(most, bucket.count);
  const auto n = static_cast<float>(buckets.size());
  const float w = std::min(44.F, plot.width() / n);
  float x = plot.x0;
  for (const auto& bucket : buckets) {
    const float h = bucket.count == 0
                        ? 0
                        : std::max(2.F, plot.height() * static_cast<float>(bucket.count) /
                                            static_cast<float>(most));
    c.fill({x + 2, plot.y1 - h, x + w - 2, plot.y1}, t.differs, 2);
    if (w > 20)
      c.text({x + w / 2, plot.y1 - h - 17}, number(bucket.count), t.text, Font::mono_small,
             Align::center);
    x += w;
  }
  name_bars(c, t, buckets, w, plot);
  c.line({plot.x0, plot.y1}, {plot.x1, plot.y1}, t.line, 1);
}

void counts(PairFrame& f, Rect r, float detail) {
  Canvas& c = f.canvas();
  const Theme& t = f.theme();
  const MapSummary& s = f.result->summary;
  const bool before = f.view.before_last_rounding && s.has_last_rounding;
  const std::uint64_t differ = before ? s.differ_before : s.differ_after;
  const std::string share =
      s.outputs == 1 ? text("map.of_one") : text("map.of", number(differ), number(s.outputs));
  if (differ > 0) {
    differs_text(f.ui, {r.x0, r.y0}, share, Font::strong);
    f.drawn.differs = true;
  } else {
    c.tick({r.x0 + 6, r.y0 + 10}, 5, t.agrees);
    c.text({r.x0 + 18, r.y0}, text("map.none", number(s.outputs)), t.agrees, Font::strong);
  }
  r.take_top(22);
  if (s.has_last_rounding && r.height() >= 24) {
    const std::array<std::string, 2> labels{
        text("map.count", s.format_after, number(s.differ_after)),
        text("map.count", s.format_before, number(s.differ_before))};
    const float w = std::min(r.width(), segmented_width(f.ui, labels) + 20);
    const Rect bar = r.take_top(26);
    const int chosen = segmented(f.ui, make_id("before"), {bar.x0, bar.y0, bar.x0 + w, bar.y1},
                                 labels, f.view.before_last_rounding ? 1 : 0);
    f.ui.term({bar.x0, bar.y0, bar.x0 + w, bar.y1}, "last_rounding");
    f.next.before_last_rounding = chosen == 1;
    r.take_top(4);
    if (r.height() >= 16)
      c.text_within({r.x0, r.y0}, r.width(), text(before ? "map.before" : "map.after"), t.dim,
                    Font::small);
    r.take_top(20);
  }
  if (detail < 0.5F || r.height() < 60) return;
  r.take_top(10);
  const std::array<std::string, 4> measures{text("measure.differs"), text("measure.ulp"),
                                            text("measure.error_a"), text("measure.error_b")};
  c.text({r.x0, r.y0}, text("map.colour"), t.dim, Font::small);
  r.take_top(20);
  f.next.measure = static_cast<MapMeasure>(segmented(f.ui, make_id("measure"), r.take_top(26),
                                                     measures, static_cast<int>(f.view.measure)));
  r.take_top(14);
  if (r.height() > 70) histogram(f, r.take_top(std::min(180.F, r.height())));
}

}  // namespace

Rect selected_frame(const PairFrame& f, const Rect& area) {
  const MapLayout& layout = f.result->map->layout();
  const Rect map = areas(area, layout).map;
  if (layout.outputs == 1) return map;
  const Rect cell = cell_rect(map, layout, f.story()->output);
  constexpr float least = 16;
  const float w = std::max(cell.width(), least) / 2 + 1;
  const float h = std::max(cell.height(), least) / 2 + 1;
  const Point middle = cell.center();
  return {middle.x - w, middle.y - h, middle.x + w, middle.y + h};
}

float map_height(const PairFrame& f, float width) {
  if (!f.result->map) return 0;
  const Rect most{0, 0, width, 1e6F};
  const float beside = f.result->summary.has_last_rounding ? 76 : 24;
  return std::max(areas(most, f.result->map->layout()).map.height(), beside);
}

void draw_map_band(PairFrame& f, const Rect& area, float detail) {
  if (!f.result->map) return;
  const MapAreas a = areas(area, f.result->map->layout());
  update_image(f, a.map);
  f.canvas().push_clip(a.map.inset(-overhang));
  f.canvas().image(a.map, f.cache.map_image);
  draw_marks(f, a.map);
  const bool only = f.result->map->layout().outputs == 1;
  if (only) draw_only_output(f, a.map);
  if (f.story() && !only) {
    f.canvas().outline(selected_frame(f, area), f.theme().text, 4, 1.5F);
  }
  f.canvas().pop_clip();
  hover_and_click(f, a.map);
  counts(f, a.side, detail);
}

}  // namespace whybits::viz
