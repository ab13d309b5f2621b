// Bits of one output: A and B before and after the last rounding and the exact sum, fields aligned,
// so that one sees which bits of the sum the last rounding looks at.
#include <algorithm>
#include <array>

#include "lab/decimal.hpp"
#include "visualizer/draw/widgets.hpp"
#include "visualizer/text/text.hpp"
#include "visualizer/views/code_cells.hpp"
#include "visualizer/views/stage.hpp"

namespace whybits::viz {
namespace {

struct Row {
  int side = -1;  ///< −1: exact
  std::string label;
  const CodeRow* code = nullptr;
};

std::vector<Row> rows_of(const StoryModel& story, bool all) {
  const OutputBits& bits = story.bits;
  std::vector<Row> rows;
  const auto add = [&](int side, const CodeRow& code, std::string_view key) {
    rows.push_back({side, text(key, format_name(code.format)), &code});
  };
  if (all && bits.before_a) add(0, *bits.before_a, "bits.before");
  add(0, bits.a, "bits.result");
  if (all && bits.exact) rows.push_back({-1, text("bits.exact"), nullptr});
  add(1, bits.b, "bits.result");
  if (all && bits.before_b) add(1, *bits.before_b, "bits.before");
  return rows;
}

/// The exact sum: significand digits that the format has, then those below its last place.
void draw_exact(PairFrame& f, const CellGeometry& g, Point at, const ExactRow& exact) {
  Canvas& c = f.canvas();
  const Theme& t = f.theme();
  const std::string fraction = exact.kept.substr(std::min<std::size_t>(1, exact.kept.size()));
  int index = 0;
  const auto cell = [&](char digit, bool below) {
    if (index >= g.fraction) return;
    const float x = at.x + g.x(BitField::fraction, index++, 0);
    const Rect r{x + 1, at.y, x + g.cell - 1, at.y + g.height};
    c.fill(r, digit == '1' ? mix(t.cell, t.cell_one, below ? 0.35F : 0.7F) : fade(t.cell, 0.8F), 3);
    if (g.cell >= 9)
      c.text_mid(r.center(), digit == '1' ? "1" : "0", digit == '1' ? t.text : t.dim,
                 Font::mono_small, Align::center);
  };
  for (const char digit : fraction) cell(digit, false);
  const int kept = index;
  for (const char digit : exact.below) cell(digit, true);
  const float x = at.x + g.x(BitField::fraction, kept, 0);
  c.line({x, at.y - 4}, {x, at.y + g.height + 4}, t.text, 1.5F);
  f.ui.term({x - 5, at.y - 4, x + 5, at.y + g.height + 4}, "last_place");
  const std::array<bool, 3> grs{exact.guard, exact.round, exact.sticky};
  const std::string label = text("bits.grs", grs[0] ? 1 : 0, grs[1] ? 1 : 0, grs[2] ? 1 : 0);
  c.text_mid({at.x + g.x(BitField::fraction, 0, 0) - 14, at.y + g.height / 2}, label, t.dim,
             Font::small, Align::right);
  f.ui.term({at.x, at.y, at.x + g.x(BitField::fraction, 0, 0) - 10, at.y + g.height}, "grs");
}

void draw_captions(PairFrame& f, const CellGeometry& g, Point at) {
  Canvas& c = f.canvas();
  const auto caption = [&](BitField field, int bits, std::string_view key) {
    float x = at.x + g.x(field, 0, bits);
    const std::string& label = text(std::string("bits.") + std::string(key));
    if (field == BitField::sign) {  // one narrow cell: no further than the exponent's caption
      const float end = at.x + g.x(BitField::exponent, 0, g.exponent) - 6;
      x = std::min(x, end - c.width(label, Font::small));
    }
    c.text({x, at.y}, label, f.theme().dim, Font::small);
    f.ui.term({x, at.y, x + c.width(label, Font::small), at.y + 18}, key);
  };
  caption(BitField::sign, 1, "sign");
  caption(BitField::exponent, g.exponent, "exponent");
  caption(BitField::fraction, 0, "fraction");
}

}  // namespace

namespace {

constexpr float all_captions = 26;
constexpr float least_pitch = 18;
constexpr float most_pitch = 52;

}  // namespace

float bits_height(const PairFrame& f) {
  const StoryModel* story = f.story();
  return story ? all_captions + most_pitch * static_cast<float>(rows_of(*story, true).size()) : 0;
}

void draw_bits_band(PairFrame& f, const Rect& area, float detail) {
  const StoryModel* story = f.story();
  if (!story) return;
  std::vector<Row> rows = rows_of(*story, true);
  const bool all = detail > 0.5F &&
                   area.height() >= all_captions + least_pitch * static_cast<float>(rows.size());
  if (!all) rows = rows_of(*story, false);
  int exponent = 0;
  int fraction = 0;
  for (const Row& row : rows)
    if (row.code) {
      exponent = std::max(exponent, row.code->format.exponent_bits);
      fraction = std::max(fraction, row.code->format.fraction_bits);
    }
  const float left = 128;
  const float right = 200;
  const float captions = all ? all_captions : area.height() >= 78 ? 19.F : 0.F;
  const auto n = static_cast<float>(rows.size());
  const float pitch = std::min(most_pitch, (area.height() - captions) / n);
  const CellGeometry g = fit_cells(area.width() - left - right,
                                   pitch - (all && pitch > 34 ? 12.F : 5.F), exponent, fraction);
  const Id id = make_id("bits");
  const Response response = f.ui.region(id, area);
  f.ui.focus_ring(id, area, 4);
  if (response.clicked && f.ui.in.released && f.view.level != Level::bits)
    f.next.level = Level::bits;
  if (response.hovered && f.ui.in.wheel < 0 && f.view.level == Level::bits)
    f.next.level = Level::step;
  f.canvas().push_clip(area.inset(-2));
  const Point origin{area.x0 + left, area.y0 + captions};
  if (captions > 0) draw_captions(f, g, {origin.x, area.y0});
  float y = origin.y;
  for (const Row& row : rows) {
    const float middle = y + g.height / 2;
    const Color color = row.side < 0 ? f.theme().text : side(f.theme(), row.side).line;
    if (row.side >= 0)
      badge(f.ui, {area.x0 + 10, middle}, row.side, std::min(9.F, pitch / 2 - 1));
    else
      f.canvas().text_mid({area.x0 + 10, middle}, "=", f.theme().text, Font::strong, Align::center);
    f.canvas().text_mid({area.x0 + 28, middle},
                        elided(f.canvas().fonts(), Font::small, row.label, left - 36),
                        f.theme().dim, Font::small);
    const float x = origin.x + g.width() + 16;
    if (row.code) {
      draw_code(f.ui, g, {origin.x, y}, *row.code, color, make_id("bits", 0), f.view.bit);
      const std::string value = row.code->number.display;
      f.canvas().text_within({x, middle - 9}, area.x1 - x - 84, value, color, Font::mono);
      f.canvas().text_mid({area.x1, middle}, row.code->number.code_text, f.theme().dim,
                          Font::mono_small, Align::right);
    } else {
      draw_exact(f, g, {origin.x, y}, *story->bits.exact);
      f.canvas().text_within({x, middle - 9}, area.x1 - x, story->bits.exact->decimal,
                             f.theme().text, Font::mono);
    }
    y += pitch;
  }
  f.canvas().pop_clip();
}

}  // namespace whybits::viz
