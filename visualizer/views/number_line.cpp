#include "visualizer/views/number_line.hpp"

#include <array>

#include "visualizer/text/text.hpp"

namespace whybits::viz {
namespace {

using What = NumberLinePoint::What;

/// Labels of one row, moved apart so that none overlaps another.
struct Label {
  float x = 0, w = 0;
  std::string text;
  Color color = 0;
};

void spread(std::vector<Label>& labels, float x0, float x1) {
  std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.x < b.x; });
  float least = x0;
  for (Label& l : labels) {
    l.x = std::max(l.x, least + l.w / 2);
    least = l.x + l.w / 2 + 8;
  }
  float most = x1;
  for (auto l = labels.rbegin(); l != labels.rend(); ++l) {
    l->x = std::min(l->x, most - l->w / 2);
    most = l->x - l->w / 2 - 8;
  }
}

}  // namespace

void draw_number_line(Ui& ui, const NumberLine& line, const Rect& area) {
  Canvas& c = ui.canvas;
  const Theme& t = ui.theme;
  const Rect plot{area.x0 + 10, area.y0, area.x1 - 10, area.y1};
  const Axis x{line.first, line.last, plot.x0, plot.x1};
  const float y = area.y0 + 52;
  c.line({area.x0, y}, {area.x1, y}, t.line, 2);
  std::vector<Label> above, below;
  for (const NumberLinePoint& p : line.points) {
    const float at = std::clamp(x.at(p.at), area.x0, area.x1);
    switch (p.what) {
      case What::number:
        c.line({at, y - 8}, {at, y + 8}, t.dim, 2);
        below.push_back({at, c.width(p.text, Font::mono_small), p.text, t.dim});
        break;
      case What::midpoint: {
        c.dashed({at, area.y0 + 22}, {at, y + 12}, t.dim, 1.5F);
        const std::string label = text("line.midpoint");
        above.push_back({at, c.width(label, Font::small), label, t.dim});
        break;
      }
      default:
        break;
    }
  }
  std::vector<Label> marks;
  for (const NumberLinePoint& p : line.points) {
    const float at = std::clamp(x.at(p.at), area.x0, area.x1);
    if (p.what == What::exact) {
      c.disc({at, y}, 5, t.text);
      marks.push_back({at, c.width(text("line.exact"), Font::small), text("line.exact"), t.text});
    } else if (p.what == What::a || p.what == What::b) {
      const int which = p.what == What::a ? 0 : 1;
      c.disc({at, y}, 6, side(t, which).line);
      c.ring({at, y}, 6, t.panel, 1);
      const std::string name = which == 0 ? "A" : "B";
      marks.push_back({at, c.width(name, Font::strong), name, side(t, which).line});
    } else if (p.what == What::result_a || p.what == What::result_b) {
      const int which = p.what == What::result_a ? 0 : 1;
      const float dy = which == 0 ? 13.F : 17.F;
      c.triangle_down({at + (which == 0 ? -4.F : 4.F), y - dy + 6}, 5, side(t, which).line);
    }
  }
  spread(above, area.x0, area.x1);
  for (const Label& l : above)
    c.text({l.x, area.y0 + 2}, l.text, l.color, Font::small, Align::center);
  spread(marks, area.x0, area.x1);
  for (const Label& l : marks)
    c.text({l.x, y + 13}, l.text, l.color, l.text.size() == 1 ? Font::strong : Font::small,
           Align::center);
  spread(below, area.x0, area.x1);
  for (const Label& l : below)
    c.text({l.x, y + 34}, l.text, l.color, Font::mono_small, Align::center);
  c.text({area.x0, y + 54}, text("line.unit", line.format, line.unit), t.faint, Font::small);
  ui.term({area.x0, area.y0, area.x1, area.y1}, "number_line");
}

}  // namespace whybits::viz
