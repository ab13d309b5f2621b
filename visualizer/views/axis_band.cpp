// The K axis of one output: both trees over one ruler, what they lost, and moving along it.
#include <algorithm>
#include <cmath>

#include "lab/code_text.hpp"
#include "lab/number_view.hpp"
#include "visualizer/draw/widgets.hpp"
#include "visualizer/text/text.hpp"
#include "visualizer/views/axis_amounts.hpp"
#include "visualizer/views/axis_items.hpp"
#include "visualizer/views/stage.hpp"

namespace whybits::viz {
namespace {

/// A and B are the same tree: nothing is drawn twice.
bool one_tree(const PairFrame& f) {
  return f.result->summary.same_tree;
}

std::pair<double, double> shown(const PairFrame& f) {
  const auto n = static_cast<double>(f.story()->axis.leaves);
  if (f.view.last <= f.view.first) return {0, std::max(1.0, n)};
  return {f.view.first, f.view.last};
}

AxisQuery query_of(const PairFrame& f, const Rect& area) {
  const auto [first, last] = shown(f);
  AxisQuery query;
  query.first = first;
  query.last = last;
  query.columns =
      std::max(16.0F, (area.width() - axis_left - axis_right) * f.ui.canvas.fonts().scale);
  query.least_columns = 22 * f.ui.canvas.fonts().scale;
  query.folds = f.view.folds;
  return query;
}

/// Ribbons that lie below one another in the band of this height.
std::uint32_t rows_in(const Rect& area) {
  const float height = area.height() - axis_numbers - axis_tag;
  return static_cast<std::uint32_t>(std::max(2.F, height / axis_least_row));
}

void update(PairFrame& f, AxisQuery& query, std::uint32_t rows) {
  PairCache& cache = f.cache;
  const bool kept = cache.axis && cache.axis_first == query.first &&
                    cache.axis_last == query.last && cache.axis_columns == query.columns &&
                    cache.axis_rows == rows && cache.axis_folds == f.view.folds;
  if (kept) {
    query.most_depth = cache.axis_most_depth;
    return;
  }
  cache.axis = axis_frame(f.story()->axis, query);
  const std::uint32_t low = std::min(cache.axis->depth_a, cache.axis->depth_b);
  const std::uint32_t all = cache.axis->depth_a + cache.axis->depth_b;
  if (all > rows) {  // the deeper side is folded until both have room
    query.most_depth = std::max(2U, rows - std::min(low, rows / 2)) - 1;
    cache.axis = axis_frame(f.story()->axis, query);
  }
  cache.axis_most_depth = query.most_depth;
  cache.axis_rows = rows;
  cache.axis_first = query.first;
  cache.axis_last = query.last;
  cache.axis_columns = query.columns;
  cache.axis_folds = f.view.folds;
}

double nice_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(std::max(1.0, least))));
  for (const double m : {1.0, 2.0, 5.0, 10.0})
    if (power * m >= least) return power * m;
  return power * 10;
}

/// Seams of both sides where they are few, else round numbers.
std::vector<double> tick_places(const PairFrame& f, const AxisLayout& l) {
  std::vector<double> seams{l.x.v0, l.x.v1};
  for (const auto* items : {&f.cache.axis->a, &f.cache.axis->b})
    for (const AxisItem& item : *items) {
      if (item.kind != AxisItem::Kind::ribbon || !item.contiguous) continue;
      for (const double v : {item.first, item.last})
        if (v > l.x.v0 && v < l.x.v1) seams.push_back(v);
    }
  std::sort(seams.begin(), seams.end());
  seams.erase(std::unique(seams.begin(), seams.end()), seams.end());
  bool sparse = seams.size() > 2;
  for (std::size_t i = 1; i < seams.size(); ++i)
    sparse = sparse && l.x.at(seams[i]) - l.x.at(seams[i - 1]) > 62;
  if (sparse) return seams;
  const double step = std::max(1.0, nice_step(90 * l.x.per_pixel()));
  seams.clear();
  for (double v = std::ceil(l.x.v0 / step) * step; v <= l.x.v1; v += step) seams.push_back(v);
  return seams;
}

bool visible(const AxisLayout& l, double at) {
  return at >= l.x.v0 && at <= l.x.v1;
}

struct Tick {
  double at = 0;
  std::string label;
  float left = 0, right = 0;
};

std::vector<Tick> ticks_of(const PairFrame& f, const AxisLayout& l) {
  std::vector<Tick> ticks;
  for (const double v : tick_places(f, l)) {
    Tick tick{v, number(static_cast<std::uint64_t>(v))};
    const float w = f.ui.canvas.width(tick.label, Font::mono_small);
    tick.left = std::clamp(l.x.at(v) - w / 2, l.plot.x0, l.plot.x1 - w);
    tick.right = tick.left + w;
    ticks.push_back(std::move(tick));
  }
  return ticks;
}

/// "the same up to k = 3,584, then they part", where that can be seen.
struct PartTag {
  double at = 0;
  std::string label;
  float left = 0, right = 0;

  bool covers(const Tick& tick) const { return tick.left < right + 6 && tick.right > left - 6; }
  bool covers_another(const std::vector<Tick>& ticks) const {
    return std::any_of(ticks.begin(), ticks.end(),
                       [&](const Tick& tick) { return tick.at != at && covers(tick); });
  }
};

/// What A and B have in common there: all leaves up to a place, those of a range, or some.
std::string part_words(const StoryModel& story) {
  const std::vector<LeafRun>& common = story.common;
  const auto place = [](std::int64_t leaf) { return number(static_cast<std::uint64_t>(leaf)); };
  const std::string again = story.parted_before ? "_again" : "";
  if (common.empty()) return text("axis.part.some" + again, "0");
  if (common.size() == 1 && common[0].first == 0)
    return text("axis.part" + again, place(common[0].last + 1));
  if (common.size() == 1)
    return text("axis.part.range" + again, place(common[0].first), place(common[0].last));
  std::int64_t leaves = 0;
  for (const LeafRun& run : common) leaves += run.last - run.first + 1;
  return text("axis.part.some" + again, place(leaves));
}

std::optional<PartTag> part_tag(const PairFrame& f, const AxisLayout& l) {
  const auto part = first_part(f);
  if (!part || !visible(l, *part)) return std::nullopt;
  PartTag tag{*part, part_words(*f.story())};
  const float w = f.ui.canvas.width(tag.label, Font::small) + 28;
  const float x = l.x.at(*part);
  const std::vector<Tick> ticks = ticks_of(f, l);
  // To the right of the place, in the middle or to the left: where it covers no other number.
  for (const float left : {x - 9, x - w / 2, x - w + 9, x - 9}) {
    tag.left = std::clamp(left, l.plot.x0, l.plot.x1 - w);
    tag.right = tag.left + w;
    if (!tag.covers_another(ticks)) break;
  }
  return tag;
}

/// The tag stands among the numbers of the ruler, unless it would cover another number than its
/// own.
AxisLayout layout_of(const PairFrame& f, const Rect& area) {
  const auto [first, last] = shown(f);
  const AxisFrame& frame = *f.cache.axis;
  const auto lay_out = [&, x0 = first, x1 = last](bool tag) {
    return lay_out_axis(area, x0, x1, best_rows(frame.a, frame.depth_a),
                        one_tree(f) ? std::vector<float>{} : best_rows(frame.b, frame.depth_b),
                        f.story()->axis.ledger_valid, has_error_walk(f), tag);
  };
  AxisLayout plain = lay_out(false);
  const auto tag = part_tag(f, plain);
  if (!tag) return plain;
  return tag->covers_another(ticks_of(f, plain)) ? lay_out(true) : plain;
}

void draw_ruler(PairFrame& f, const AxisLayout& l) {
  Canvas& c = f.canvas();
  const Theme& t = f.theme();
  const float y = l.ruler.center().y;
  // A thin band leaves the badge of A no room above the ruler: then its name stands beside it.
  const float badge_room = l.a.height() < 22 ? 26.F : 0.F;
  c.text_mid({l.plot.x0 - axis_left + badge_room, y}, text("axis.k"), t.dim, Font::small);
  f.ui.term({l.plot.x0 - axis_left, l.ruler.y0, l.plot.x0 - 6, l.ruler.y1}, "k_axis");
  const auto tag = part_tag(f, l);
  for (const Tick& tick : ticks_of(f, l))
    if (!tag || (tick.at != tag->at && (!l.tag.empty() || !tag->covers(tick)))) {
      if (const float x = tag ? l.x.at(tag->at) : -1; x > tick.left - 2 && x < tick.right + 2)
        c.fill({tick.left - 2, y - 7, tick.right + 2, y + 7}, t.panel, 0);  // over the dashed line
      c.text_mid({tick.left, y}, tick.label, t.dim, Font::mono_small);
    }
}

/// Where A and B part: a thin dashed line through both, with the mark of "differs" at the ruler.
void draw_first_part(PairFrame& f, const AxisLayout& l) {
  const auto tag = part_tag(f, l);
  if (!tag) return;
  const float x = l.x.at(tag->at);
  Canvas& c = f.canvas();
  c.dashed({x, l.a.y0}, {x, l.b.y1}, f.theme().differs, 1.5F, 3, 3);
  const Rect& line = l.tag.empty() ? l.ruler : l.tag;
  const Rect r{tag->left, line.y0 + 2, tag->right, line.y1 - 2};
  c.fill(r, f.theme().differs_fill, 5);
  c.diamond({r.x0 + 9, r.center().y}, 4.5F, f.theme().differs);
  f.drawn.differs = true;
  c.text_mid({r.x0 + 20, r.center().y}, tag->label, f.theme().text, Font::small);
  f.ui.term(r, f.story()->parted_before ? "part_again" : "part");
}

/// Where a step lies in the picture: its own leaves, of a merge its joint. Empty: out of view.
std::pair<float, float> extent(const PairFrame& f, const AxisLayout& l, const StepChoice& step) {
  const auto [from, to] = step_leaves(*f.story(), step);
  if (to < l.x.v0 || from > l.x.v1) return {0, 0};
  constexpr float joint = 6;
  const float x0 = l.x.at(from);
  const float x1 = l.x.at(to);
  if (to <= from) return {x0 - joint, x0 + joint};
  return {std::max(x0, l.plot.x0), std::min(std::max(x1, x0 + 2), l.plot.x1)};
}

/// The steps that are taken apart below, each on its side.
void draw_selected(PairFrame& f, const AxisLayout& l) {
  for (const StepChoice& step : shown_steps(f)) {
    const auto [x0, x1] = extent(f, l, step);
    if (x1 <= x0) continue;
    const Rect& rows = step.side == Side::a || one_tree(f) ? l.a : l.b;
    f.canvas().push_clip({l.plot.x0 - 6, rows.y0, l.plot.x1 + 6, rows.y1});
    f.canvas().fill({x0, rows.y0, x1, rows.y1}, fade(f.theme().focus, 0.22F), 0);
    f.canvas().pop_clip();
  }
}

/// On the ruler: the leaves of the last sum that both have, where these are not all up to it.
void draw_common(PairFrame& f, const AxisLayout& l) {
  const std::vector<LeafRun>& common = f.story()->common;
  if (!first_part(f) || common.empty() || (common.size() == 1 && common[0].first == 0)) return;
  Canvas& c = f.canvas();
  c.push_clip({l.plot.x0 - 1, l.ruler.y0, l.plot.x1 + 1, l.ruler.y1});
  for (const LeafRun& run : common) {
    const float x0 = l.x.at(static_cast<double>(run.first));
    const float x1 = std::max(l.x.at(static_cast<double>(run.last + 1)), x0 + 2);
    for (const float y : {l.ruler.y0, l.ruler.y1 - 5})
      c.fill({x0, y, x1, y + 5}, f.theme().text, 0);
  }
  c.pop_clip();
}

void draw_results(PairFrame& f, const AxisLayout& l) {
  Canvas& c = f.canvas();
  const Theme& t = f.theme();
  const StoryModel& story = *f.story();
  for (const Side which : {Side::a, Side::b}) {
    const int index = which == Side::a ? 0 : 1;
    if (one_tree(f) && which == Side::b) {  // drawn once, lettered twice
      badge(f.ui, {l.plot.x0 - axis_left + 36, l.a.center().y}, index);
      return;
    }
    const Rect row = which == Side::a ? l.a : l.b;
    // Beside the result's row: the outermost.
    const float half = l.rows(which).empty() ? 0 : l.rows(which)[0] / 2;
    float y = which == Side::a ? row.y0 + half : row.y1 - half;
    const bool two_lines = row.height() > 40;
    const Rect& band = f.scene.panels["axis"];
    y = std::clamp(y, band.y0 + (two_lines ? 16.F : 9.F), band.y1 - (two_lines ? 21.F : 9.F));
    const float lettered =
        std::clamp(row.center().y, band.y0 + 10, std::max(band.y0 + 10, band.y1 - 10));
    badge(f.ui, {l.plot.x0 - axis_left + 11, lettered}, index);
    const SideText& side_text = which == Side::a ? f.result->a : f.result->b;
    f.ui.tip({l.plot.x0 - axis_left, row.y0, l.plot.x0 - 8, row.y1},
             phrase_text(side_text.name) + "\n" + side_text.topology);
    const Trace& trace = story.trace(which);
    const std::string value = display_decimal(trace.format, trace.result);
    c.text_mid({l.plot.x1 + 10, y - (two_lines ? 7 : 0)},
               elided(c.fonts(), Font::mono, value, axis_right - 12), side(t, index).line,
               Font::mono);
    if (two_lines)
      c.text_mid({l.plot.x1 + 10, y + 11}, text("axis.sum", format_name(trace.format)), t.dim,
                 Font::small);
  }
}

void set_range(PairFrame& f, double first, double last) {
  const auto n = static_cast<double>(f.story()->axis.leaves);
  const double span = std::clamp(last - first, std::min(n, 16.0), n);
  first = std::clamp(first, 0.0, n - span);
  if (span >= n) {
    f.next.first = f.next.last = 0;
  } else {
    f.next.first = first;
    f.next.last = first + span;
  }
  f.gesture = "axis";
}

void choose_step_at(PairFrame& f, const AxisLayout& l, Point mouse) {
  const Side which = mouse.y < l.ruler.center().y ? Side::a : Side::b;
  const double leaf = l.x.value(mouse.x);
  if (const auto found = step_adding(f.story()->axis.side(which), leaf))
    f.next.step = StepChoice{which, *found};
}

void step_by_key(PairFrame& f, int direction) {
  const auto chosen = chosen_step(f);
  if (!chosen) return;
  const auto [from, to] = step_leaves(*f.story(), *chosen);
  const double leaf = direction > 0 ? to + 0.5 : from - 0.5;
  if (const auto found = step_adding(f.story()->axis.side(chosen->side), leaf))
    f.next.step = StepChoice{chosen->side, *found};
}

void move(PairFrame& f, const Rect& area, const AxisLayout& l) {
  Ui& ui = f.ui;
  const Id id = make_id("axis");
  const Rect r{l.plot.x0, area.y0, l.plot.x1, area.y1};
  const Response response = ui.region(id, r);
  ui.focus_ring(id, r, 4);
  if (const int dx = ui.arrow_x(id)) step_by_key(f, dx);
  if (const int dy = ui.arrow_y(id)) {
    const double middle = (l.x.v0 + l.x.v1) / 2;
    const double span = (l.x.v1 - l.x.v0) * (dy < 0 ? 0.5 : 2);
    set_range(f, middle - span / 2, middle + span / 2);
  }
  const bool over = ui.hovered(r) || response.held;
  if (over && ui.in.wheel != 0) {
    const double middle = l.x.value(ui.in.mouse.x);
    const double factor = std::pow(0.8, static_cast<double>(ui.in.wheel));
    const double span = l.x.v1 - l.x.v0;
    const auto n = static_cast<double>(f.story()->axis.leaves);
    // Zooming goes on into the step, and out into all outputs.
    if (ui.in.wheel > 0 && span <= 16.01 && f.view.level == Level::axis) {
      choose_step_at(f, l, ui.in.mouse);
      f.next.level = Level::step;
    } else if (ui.in.wheel < 0 && span >= n && f.view.level == Level::axis) {
      f.next.level = Level::matrix;
    } else {
      set_range(f, middle - (middle - l.x.v0) * factor, middle + (l.x.v1 - middle) * factor);
    }
  }
  if (over && ui.in.wheel_x != 0) {
    const double by = -static_cast<double>(ui.in.wheel_x) * (l.x.v1 - l.x.v0) * 0.1;
    set_range(f, l.x.v0 + by, l.x.v1 + by);
  }
  if (response.held && (response.drag.x != 0)) {
    const double by = -static_cast<double>(response.drag.x) * l.x.per_pixel();
    if (f.view.last > f.view.first) set_range(f, l.x.v0 + by, l.x.v1 + by);
  }
  if (response.clicked && ui.in.released && !ui.in.ctrl) choose_step_at(f, l, ui.in.mouse);
  if (response.double_clicked) f.next.level = Level::step;
}

StepExtent extent_of_steps(PairFrame& f, const AxisLayout& l) {
  StepExtent out;
  for (const StepChoice& step : shown_steps(f)) {
    const auto [x0, x1] = extent(f, l, step);
    if (x1 <= x0) continue;
    out.x0 = out.x1 > out.x0 ? std::min(out.x0, x0) : x0;
    out.x1 = std::max(out.x1, x1);
  }
  out.top = !l.say_b.empty() ? l.say_b.y1 : one_tree(f) ? l.a.y1 : l.b.y1;
  return out;
}

}  // namespace

StepExtent step_extent(PairFrame& f, const Rect& area) {
  return f.cache.axis ? extent_of_steps(f, layout_of(f, area)) : StepExtent{};
}

void draw_axis_band(PairFrame& f, const Rect& area, float) {
  if (!f.story()) {
    f.canvas().paragraph(
        {area.x0, area.y0 + 8}, std::min(560.F, area.width()),
        f.result->story_omitted.empty() ? text("axis.none") : f.result->story_omitted,
        f.theme().dim, Font::body);
    return;
  }
  AxisQuery query = query_of(f, area);
  update(f, query, rows_in(area));
  const AxisLayout l = layout_of(f, area);
  f.canvas().push_clip(area.inset(-2));
  draw_axis_side(f, l, Side::a, query);
  if (!one_tree(f)) draw_axis_side(f, l, Side::b, query);
  draw_selected(f, l);
  draw_first_part(f, l);
  draw_common(f, l);
  draw_ruler(f, l);
  draw_results(f, l);
  if (!l.walk.empty()) draw_error_walk(f, l, query);
  if (!l.fall_a.empty()) {
    // The edges of the lens to the level below.
    const StepExtent steps = extent_of_steps(f, l);
    std::vector<float> lines;
    if (steps.x1 > steps.x0) lines = {steps.x0, steps.x1};
    draw_waterfall(f, l, Side::a, lines);
    if (!one_tree(f)) draw_waterfall(f, l, Side::b, lines);
  }
  f.canvas().pop_clip();
  move(f, area, l);
}

}  // namespace whybits::viz
