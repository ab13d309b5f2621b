#include "visualizer/views/code_cells.hpp"

#include "visualizer/text/text.hpp"

namespace whybits::viz {

float CellGeometry::x(BitField field, int from_left, int field_bits) const {
  switch (field) {
    case BitField::sign:
      return 0;
    case BitField::exponent:
      return cell + field_gap + cell * static_cast<float>(exponent - field_bits + from_left);
    case BitField::fraction:
      return cell * static_cast<float>(1 + exponent + from_left) + 2 * field_gap;
  }
  return 0;
}

CellGeometry fit_cells(float width, float height, int exponent, int fraction) {
  CellGeometry g;
  g.exponent = exponent;
  g.fraction = fraction;
  g.cell = std::min(std::max(26.F, height * 0.72F),
                    (width - 2 * g.field_gap) / static_cast<float>(1 + exponent + fraction));
  g.height = std::min(height, g.cell * 1.4F);
  return g;
}

std::optional<int> draw_code(Ui& ui, const CellGeometry& g, Point at, const CodeRow& row, Color one,
                             Id id, std::optional<int> selected, bool reacts) {
  const Theme& t = ui.theme;
  std::optional<int> pressed;
  int counts[3] = {0, 0, 0};
  for (const BitCell& cell : row.cells) ++counts[static_cast<std::size_t>(cell.field)];
  int index[3] = {0, 0, 0};
  for (const BitCell& cell : row.cells) {
    const auto field = static_cast<std::size_t>(cell.field);
    const float x = at.x + g.x(cell.field, index[field]++, counts[field]);
    const Rect r{x + 1, at.y, x + g.cell - 1, at.y + g.height};
    const float rounding = g.cell > 12 ? 3.F : 1.F;
    Color fill = cell.one ? mix(t.cell, one, 0.42F) : t.cell;
    if (cell.differs) fill = t.differs_fill;
    if (reacts) {
      const Id cell_id = id + 2 * static_cast<Id>(cell.bit);
      const Response response = ui.region(cell_id, r);
      if (response.hovered) fill = mix(fill, t.text, 0.12F);
      if (response.clicked) pressed = cell.bit;
      ui.focus_ring(cell_id, r, rounding);
    }
    ui.canvas.fill(r, fill, rounding);
    if (cell.differs)
      ui.canvas.outline(r, t.differs, rounding, g.cell > 14 ? 2.F : 1.F);
    else if (selected && *selected == cell.bit)
      ui.canvas.outline(r, t.focus, rounding, 2);
    if (g.cell >= 9)
      ui.canvas.text_mid(r.center(), cell.one ? "1" : "0",
                         cell.differs ? t.differs
                         : cell.one   ? t.text
                                      : t.dim,
                         g.cell >= 16 ? Font::mono_bold : Font::mono_small, Align::center);
    ui.tip(r, phrase_text(cell.meaning));
  }
  return pressed;
}

}  // namespace whybits::viz
