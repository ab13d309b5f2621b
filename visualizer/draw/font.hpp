// The fonts of the program, loaded at the sizes in which they are drawn.
#pragma once

#include <array>
#include <string>

struct ImFont;
struct ImFontAtlas;

namespace whybits::viz {

enum class Font : unsigned char {
  body,        ///< 16 px
  strong,      ///< 16, semibold
  small,       ///< 14
  title,       ///< 18, semibold
  mono,        ///< 15
  mono_small,  ///< 13.5
  mono_bold,   ///< 15
  mono_large   ///< 20, bold
};
constexpr std::size_t font_count = 8;

/// Logical size in pixels.
float font_size(Font font);

struct Fonts {
  std::array<ImFont*, font_count> at{};
  float scale = 1;

  ImFont* operator[](Font font) const { return at[static_cast<std::size_t>(font)]; }
};

/// Fills an empty atlas. Inter and JetBrains Mono, else DejaVu, else Dear ImGui's own font; with
/// `chinese`, Noto Sans CJK for the characters of `characters`. `missing` names what was not found.
Fonts load_fonts(ImFontAtlas& atlas, float scale, bool chinese, const std::string& characters,
                 std::string* missing = nullptr);

/// Width in logical pixels.
float text_width(const Fonts& fonts, Font font, std::string_view text);

}  // namespace whybits::viz
