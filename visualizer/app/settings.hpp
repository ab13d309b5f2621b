// How the program looks; not part of a scene's state.
#pragma once

#include <string>

#include "visualizer/draw/theme.hpp"
#include "visualizer/text/text.hpp"

namespace whybits::viz {

inline constexpr float smallest_scale = 0.75F;
inline constexpr float largest_scale = 3;

struct Settings {
  ThemeName theme = ThemeName::dark;
  float scale = 1;
  Language language = Language::english;
  bool reduced_motion = false;
  std::string characters{};  ///< of texts from outside: fonts are loaded with them
};

}  // namespace whybits::viz
