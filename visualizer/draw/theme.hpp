// Colours by meaning. A meaning has one colour in each theme and a second mark that works without
// colour: A and B are lettered, "differs" is a filled diamond and a border, "agrees" a tick, "lost"
// lies right of a line and says so, what cannot matter is hatched grey.
#pragma once

#include <cstdint>

namespace whybits::viz {

/// 0xAABBGGRR, as Dear ImGui and textures have it.
using Color = std::uint32_t;

constexpr Color rgb(std::uint32_t hex, std::uint32_t alpha = 255) {
  return (alpha << 24) | ((hex & 0xFF) << 16) | (hex & 0xFF00) | ((hex >> 16) & 0xFF);
}
/// The same colour with another opacity in [0, 1].
constexpr Color fade(Color color, float opacity) {
  const auto alpha = static_cast<float>(color >> 24) * opacity;
  return (color & 0x00FFFFFF) | (static_cast<std::uint32_t>(alpha + 0.5F) << 24);
}
/// Between two opaque colours, t in [0, 1].
Color mix(Color a, Color b, float t);

struct Theme {
  const char* name;
  Color background, panel, raised, field, line, grid;
  Color text, dim, faint;
  Color a, a_fill, a_soft;  ///< topology A: lines and text, fill of a ribbon, quiet fill
  Color b, b_fill, b_soft;
  Color differs, differs_fill;
  Color agrees;
  Color lost;            ///< bits that fall off
  Color focus;           ///< the ring of keyboard focus, and links
  Color cell, cell_one;  ///< bits of neither side
  Color shadow;
};

enum class ThemeName : unsigned char { dark, light };
const Theme& theme(ThemeName name);

/// Of what has the same bits on both sides.
Color same_strip(const Theme& theme);

/// A or B by index.
struct SideColors {
  Color line, fill, soft;
};
SideColors side(const Theme& theme, int index);

}  // namespace whybits::viz
