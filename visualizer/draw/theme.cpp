#include "visualizer/draw/theme.hpp"

#include <cmath>

namespace whybits::viz {
namespace {

constexpr Theme dark{
    .name = "dark",
    .background = rgb(0x0E1014),
    .panel = rgb(0x181B21),
    .raised = rgb(0x22262E),
    .field = rgb(0x111318),
    .line = rgb(0x343A45),
    .grid = rgb(0x272B34),
    .text = rgb(0xECEEF3),
    .dim = rgb(0xAAB1BF),
    .faint = rgb(0x7B8393),
    .a = rgb(0x6BB3FF),
    .a_fill = rgb(0x1E3F60),
    .a_soft = rgb(0x182A3D),
    .b = rgb(0xF5AE4B),
    .b_fill = rgb(0x553A12),
    .b_soft = rgb(0x352916),
    .differs = rgb(0xFF5FA8),
    .differs_fill = rgb(0x4D1B36),
    .agrees = rgb(0x5CD08A),
    .lost = rgb(0xFF6B4A),
    .focus = rgb(0x8FC4FF),
    .cell = rgb(0x262A32),
    .cell_one = rgb(0x9AA3B2),
    .shadow = rgb(0x000000, 120),
};

constexpr Theme light{
    .name = "light",
    .background = rgb(0xE9ECF1),
    .panel = rgb(0xFFFFFF),
    .raised = rgb(0xF1F3F7),
    .field = rgb(0xF6F7FA),
    .line = rgb(0xC3C9D4),
    .grid = rgb(0xDFE3EA),
    .text = rgb(0x14171C),
    .dim = rgb(0x4A5160),
    .faint = rgb(0x6C7484),
    .a = rgb(0x0B62C4),
    .a_fill = rgb(0xCFE3FA),
    .a_soft = rgb(0xE8F1FC),
    .b = rgb(0x9A5B00),
    .b_fill = rgb(0xFBE3BC),
    .b_soft = rgb(0xFDF3E1),
    .differs = rgb(0xC90F6B),
    .differs_fill = rgb(0xFBD9E9),
    .agrees = rgb(0x12783A),
    .lost = rgb(0xC2331B),
    .focus = rgb(0x0B62C4),
    .cell = rgb(0xE6E9EF),
    .cell_one = rgb(0x596273),
    .shadow = rgb(0x2A3140, 60),
};

}  // namespace

Color mix(Color a, Color b, float t) {
  Color out = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    const auto x = static_cast<float>((a >> shift) & 0xFF);
    const auto y = static_cast<float>((b >> shift) & 0xFF);
    out |= static_cast<Color>(std::lround(x + (y - x) * t)) << shift;
  }
  return out;
}

const Theme& theme(ThemeName name) {
  return name == ThemeName::dark ? dark : light;
}

Color same_strip(const Theme& theme) {
  return mix(theme.panel, theme.faint, 0.6F);
}

SideColors side(const Theme& theme, int index) {
  return index == 0 ? SideColors{theme.a, theme.a_fill, theme.a_soft}
                    : SideColors{theme.b, theme.b_fill, theme.b_soft};
}

}  // namespace whybits::viz
