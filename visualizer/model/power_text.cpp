#include "visualizer/model/power_text.hpp"

#include <array>
#include <cstdlib>

namespace whybits::viz {

std::string power_text(int exponent) {
  static constexpr std::array digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = exponent < 0 ? "2⁻" : "2";
  for (const char c : std::to_string(std::abs(exponent)))
    out += digits[static_cast<std::size_t>(c - '0')];
  return out;
}

}  // namespace whybits::viz
