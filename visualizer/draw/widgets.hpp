// Buttons, switches, choices, sliders, panels: drawn here so that every theme and scale has them
// alike.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "visualizer/draw/ui.hpp"

namespace whybits::viz {

constexpr float gap = 12;            ///< between panels
constexpr float panel_padding = 16;  ///< inside them
constexpr float control_height = 30;

/// Background of a panel. Returns its inside.
Rect panel(Ui& ui, const Rect& r);
/// A heading with an optional remark right of it, and at the right end `beside` for something else;
/// returns the y below.
float heading(Ui& ui, Rect& inside, std::string_view title, std::string_view remark = {},
              float beside = 0);

bool button(Ui& ui, Id id, const Rect& r, std::string_view label, bool primary = false);
/// Text that is pressed: in the colour of focus, underlined on hover. Returns whether it was.
bool link(Ui& ui, Id id, Point at, std::string_view label, Align align = Align::left,
          Font font = Font::body);
bool toggle(Ui& ui, Id id, Point at, std::string_view label, bool on);
/// Side by side; returns the index now chosen.
int segmented(Ui& ui, Id id, const Rect& r, std::span<const std::string> labels, int chosen);
float segmented_width(const Ui& ui, std::span<const std::string> labels);

/// Lettered disc of a side: A or B.
void badge(Ui& ui, Point center, int side, float radius = 10);
/// "differs" as a small text with its mark.
float differs_text(Ui& ui, Point at, std::string_view text, Font font = Font::body);

/// A label left and a value right of a column at `x_value`; explained by the term `tip`.
void row(Ui& ui, const Rect& r, std::string_view label, std::string_view value, float x_value,
         std::string_view tip = {}, Font font = Font::mono);

}  // namespace whybits::viz
