#include "visualizer/views/number_line.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "lab/text_table.hpp"
#include "visualizer/text/text.hpp"

namespace whybits::viz {
namespace {

using What = NumberLinePoint::What;

constexpr float plain_height = 100;
constexpr float magnified_height = 96;
constexpr float compact_height = 104;

struct Label {
  float x = 0, w = 0;
  std::string text;
  Color color = 0;
  Font font = Font::small;
};

constexpr float labels_apart = 14;

/// Every second, third … one, so that they have room side by side.
std::vector<Label> thinned(const std::vector<Label>& labels, float room) {
  for (std::size_t every = 1;; ++every) {
    std::vector<Label> kept;
    float taken = -labels_apart;
    for (std::size_t i = 0; i < labels.size(); i += every) {
      taken += labels[i].w + labels_apart;
      kept.push_back(labels[i]);
    }
    if (taken <= room || kept.size() <= 1) return kept;
  }
}

/// Up to two borders are named; the caption tells what dashed lines are.
constexpr std::size_t most_borders = 2;

/// What ticks and dashes are; returns the height of its lines.
float caption(Canvas& c, const NumberLine& line, Point at, float width, Color color, bool draw) {
  constexpr float above = 4;
  const std::string words = text("line.unit", line.format, line.unit);
  return c.paragraph({at.x, at.y + above}, width, words, color, Font::small, draw) - at.y;
}

/// Labels of one row, moved apart so that none overlaps another.
void draw_labels(Ui& ui, std::vector<Label> labels, float x0, float x1, float y) {
  std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.x < b.x; });
  labels = thinned(labels, x1 - x0);
  float least = x0;
  for (Label& l : labels) {
    l.x = std::max(l.x, least + l.w / 2);
    least = l.x + l.w / 2 + labels_apart;
  }
  float most = x1;
  for (auto l = labels.rbegin(); l != labels.rend(); ++l) {
    l->x = std::min(l->x, most - l->w / 2);
    most = l->x - l->w / 2 - labels_apart;
  }
  for (const Label& l : labels) ui.canvas.text({l.x, y}, l.text, l.color, l.font, Align::center);
}

void draw_borders(Ui& ui, std::vector<Label> labels, float x0, float x1, float y) {
  if (labels.size() <= most_borders) draw_labels(ui, std::move(labels), x0, x1, y);
}

Label label(Ui& ui, float x, std::string text, Color color, Font font) {
  const float w = ui.canvas.width(text, font);
  return {x, w, std::move(text), color, font};
}

bool is_sum(What what) {
  return what == What::exact || what == What::a || what == What::b;
}

/// "700": a factor with two digits.
std::string short_factor(double factor) {
  const double power = std::pow(10, std::max(0.0, std::floor(std::log10(factor)) - 1));
  return grouped(static_cast<unsigned long long>(std::round(factor / power) * power));
}

/// What the second line shows, where the sums are too close together for the first.
struct Span {
  double first = 0, last = 0;
};
std::optional<Span> close_together(const NumberLine& line) {
  double low = line.last;
  double high = line.first;
  int sums = 0;
  for (const NumberLinePoint& p : line.points)
    if (is_sum(p.what)) {
      low = std::min(low, p.at);
      high = std::max(high, p.at);
      ++sums;
    }
  if (sums < 2) return std::nullopt;
  const double all = line.last - line.first;
  if (high - low > 0.12 * all) return std::nullopt;
  // With the border that they lie at, if it is near.
  const double near = std::max(high - low, 1e-9) * 4;
  for (const NumberLinePoint& p : line.points)
    if (p.what == What::midpoint && p.at > low - near && p.at < high + near) {
      low = std::min(low, p.at);
      high = std::max(high, p.at);
    }
  const double pad = std::max((high - low) * 0.25, all * 1e-9);
  return Span{low - pad, high + pad};
}

struct Marks {
  std::vector<Label> above, below;
};

bool near(const NumberLine& line, const Axis& x, float at, What what) {
  constexpr float together = 7;
  return std::any_of(line.points.begin(), line.points.end(), [&](const NumberLinePoint& p) {
    return p.what == what && std::abs(x.at(p.at) - at) < together;
  });
}
/// Where the exact sum all but meets a number, its mark stands on the line and the tick hangs from
/// it: side by side they would look like one double mark.
bool near_number(const NumberLine& line, const Axis& x, float at) {
  return near(line, x, at, What::number);
}
bool near_exact(const NumberLine& line, const Axis& x, float at) {
  return near(line, x, at, What::exact);
}

void draw_sums(Ui& ui, const NumberLine& line, const Axis& x, float y, Marks& marks) {
  Canvas& c = ui.canvas;
  const Theme& t = ui.theme;
  const bool of_sums = std::any_of(line.points.begin(), line.points.end(), [](const auto& p) {
    return p.what == What::a || p.what == What::b;
  });
  const auto place_of = [&](What what) {
    const auto found = std::ranges::find(line.points, what, &NumberLinePoint::what);
    return found == line.points.end() ? std::optional<double>() : found->at;
  };
  const bool equal_sums = place_of(What::a) && place_of(What::a) == place_of(What::b);
  for (const NumberLinePoint& p : line.points) {
    const float at = x.at(p.at);
    if (p.what == What::exact) {
      const bool upward = near_number(line, x, at);
      c.fill({at - 1.5F, y - (upward ? 14 : 9), at + 1.5F, y + (upward ? 1 : 9)}, t.text, 1);
      marks.below.push_back(
          label(ui, at, text(of_sums ? "line.exact" : "line.exact_value"), t.text, Font::small));
    } else if (p.what == What::a || p.what == What::b) {
      const int which = p.what == What::a ? 0 : 1;
      // Of two equal sums the first is a ring around the second.
      c.disc({at, y}, which == 0 && equal_sums ? 9 : 6, side(t, which).line);
      marks.below.push_back(label(ui, at, text("line.sum", which == 0 ? "A" : "B"),
                                  side(t, which).line, Font::small));
    } else if (p.what == What::midpoint && p.at >= x.v0 && p.at <= x.v1) {
      c.dashed({at, y - 22}, {at, y + 12}, t.dim, 1.5F);
      marks.above.push_back(label(ui, at, text("line.midpoint"), t.dim, Font::small));
    }
  }
}

void draw_numbers(Ui& ui, const NumberLine& line, const Axis& x, float y, const Rect& area,
                  bool with_sums) {
  Canvas& c = ui.canvas;
  const Theme& t = ui.theme;
  std::vector<Label> names;
  const bool two_results =
      std::any_of(line.points.begin(), line.points.end(),
                  [](const NumberLinePoint& p) { return p.what == What::result_b; });
  const auto result_at = [&](double place) {
    std::string sides;
    for (const NumberLinePoint& p : line.points)
      if ((p.what == What::result_a || p.what == What::result_b) && p.at == place)
        sides += (sides.empty() ? "" : ", ") + std::string(p.what == What::result_a ? "A" : "B");
    return sides;
  };
  for (const NumberLinePoint& p : line.points) {
    const float at = std::clamp(x.at(p.at), area.x0, area.x1);
    if (p.what == What::number) {
      c.line({at, with_sums && near_exact(line, x, at) ? y : y - 8}, {at, y + 8}, t.dim, 2);
      const std::string sides = result_at(p.at);
      const Color color = sides == "A" ? t.a : sides == "B" ? t.b : sides.empty() ? t.dim : t.text;
      const std::string named = sides.empty() || !two_results ? p.text : sides + " → " + p.text;
      names.push_back(label(ui, at, named, color, Font::mono_small));
    } else if (p.what == What::result_a || p.what == What::result_b) {
      // Where a result came to rest: an arrow of its side onto the number.
      const int which = p.what == What::result_a ? 0 : 1;
      const bool shared = result_at(p.at).size() > 1;
      const float aside = !shared ? 0.F : which == 0 ? -5.F : 5.F;
      c.triangle_down({at + aside, y - 9}, 6, side(t, which).line);
    }
  }
  draw_labels(ui, std::move(names), area.x0, area.x1, y + 12);
}

/// The sums alone, over the width of the area, with the line at y.
void draw_span(Ui& ui, const NumberLine& line, const Span& span, float y, const Rect& area) {
  const Axis x{span.first, span.last, area.x0 + 12, area.x1 - 12};
  ui.canvas.line({area.x0, y}, {area.x1, y}, ui.theme.line, 2);
  Marks marks;
  draw_sums(ui, line, x, y, marks);
  draw_borders(ui, std::move(marks.above), area.x0 + 4, area.x1 - 4, y - 40);
  draw_labels(ui, std::move(marks.below), area.x0 + 4, area.x1 - 4, y + 14);
}

void draw_magnified(Ui& ui, const NumberLine& line, const Span& span, const Axis& whole, float y,
                    const Rect& area) {
  Canvas& c = ui.canvas;
  const Theme& t = ui.theme;
  const float y_line = area.y1 - 40;
  const float at = whole.at((span.first + span.last) / 2);
  const float top = y + 32;
  const std::array<Point, 3> lens{{{at, top - 20}, {area.x1, y_line - 36}, {area.x0, y_line - 36}}};
  c.polygon(lens, fade(t.focus, 0.10F));
  c.line(lens[0], lens[1], fade(t.focus, 0.4F), 1);
  c.line(lens[0], lens[2], fade(t.focus, 0.4F), 1);
  c.fill({area.x0, y_line - 36, area.x1, area.y1 - 2}, fade(t.focus, 0.06F), 4);
  const double factor = (whole.v1 - whole.v0) / (span.last - span.first);
  c.text({area.x1, top - 2}, text("line.magnified", short_factor(factor)), t.dim, Font::small,
         Align::right);
  draw_span(ui, line, span, y_line, area);
}

void draw_compact(Ui& ui, const NumberLine& line, const Span& span, const Rect& area) {
  Canvas& c = ui.canvas;
  const Theme& t = ui.theme;
  const float y = area.y0 + 44;
  c.fill({area.x0, area.y0, area.x1, y + 36}, fade(t.focus, 0.06F), 4);
  draw_span(ui, line, span, y, area);
  // The numbers on either side lie far outside.
  const NumberLinePoint* below = nullptr;
  const NumberLinePoint* above = nullptr;
  for (const NumberLinePoint& p : line.points) {
    if (p.what != What::number) continue;
    if (p.at < span.first && (!below || p.at > below->at)) below = &p;
    if (p.at > span.last && (!above || p.at < above->at)) above = &p;
  }
  if (below) c.text({area.x0, y + 40}, "← " + below->text, t.dim, Font::mono_small);
  if (above) c.text({area.x1, y + 40}, above->text + " →", t.dim, Font::mono_small, Align::right);
}

}  // namespace

float number_line_height(const Ui& ui, const NumberLine& line, float width) {
  return plain_height + (close_together(line) ? magnified_height : 0) +
         caption(ui.canvas, line, {0, 0}, width, 0, false);
}

float least_number_line_height(const Ui& ui, const NumberLine& line, float width) {
  return close_together(line) ? compact_height : number_line_height(ui, line, width);
}

void draw_number_line(Ui& ui, const NumberLine& line, const Rect& area) {
  Canvas& c = ui.canvas;
  const Theme& t = ui.theme;
  const Axis x{line.first, line.last, area.x0 + 10, area.x1 - 10};
  const float y = area.y0 + 46;
  const auto span = close_together(line);
  const float words = caption(c, line, {0, 0}, area.width(), 0, false);
  ui.term(area, "number_line");
  if (span && area.height() < number_line_height(ui, line, area.width()) - 1)
    return draw_compact(ui, line, *span, area);
  c.line({area.x0, y}, {area.x1, y}, t.line, 2);
  draw_numbers(ui, line, x, y, area, !span);
  Marks marks;
  if (span) {
    for (const NumberLinePoint& p : line.points)
      if (p.what == What::midpoint) {
        const float at = x.at(p.at);
        c.dashed({at, y - 14}, {at, y + 14}, t.dim, 1.5F);
        marks.above.push_back(label(ui, at, text("line.midpoint"), t.dim, Font::small));
      }
    c.disc({x.at((span->first + span->last) / 2), y}, 5, t.text);
    draw_borders(ui, std::move(marks.above), area.x0, area.x1, area.y0 + 8);
    Rect below = area;
    below.y1 -= words;
    draw_magnified(ui, line, *span, x, y, below);
  } else {
    draw_sums(ui, line, x, y, marks);
    draw_borders(ui, std::move(marks.above), area.x0, area.x1, area.y0 + 2);
    draw_labels(ui, std::move(marks.below), area.x0, area.x1, y + 32);
  }
  caption(c, line, {area.x0, area.y1 - words}, area.width(), t.dim, true);
}

}  // namespace whybits::viz
