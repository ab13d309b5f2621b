// A code as cells: sign, exponent, fraction; codes of several formats with their fields aligned.
#pragma once

#include <optional>

#include "visualizer/draw/ui.hpp"
#include "visualizer/model/bits_view.hpp"

namespace whybits::viz {

struct CellGeometry {
  float cell = 18, height = 24;
  int exponent = 8, fraction = 23;  ///< columns of each field
  float field_gap = 10;

  float width() const { return cell * static_cast<float>(1 + exponent + fraction) + 2 * field_gap; }
  /// x of a cell from the left end; exponents end at the same column, fractions begin at one.
  float x(BitField field, int from_left, int field_bits) const;
};

/// Cells small enough for a width.
CellGeometry fit_cells(float width, float height, int exponent, int fraction);

/// Returns the bit that was pressed, if cells react.
std::optional<int> draw_code(Ui& ui, const CellGeometry& geometry, Point at, const CodeRow& row,
                             Color one, Id id, std::optional<int> selected = {},
                             bool reacts = false);

}  // namespace whybits::viz
