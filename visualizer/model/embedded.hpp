// Files that the program carries: presets and text tables, made into C++ by cmake/embed.cmake.
#pragma once

#include <span>
#include <string_view>

namespace whybits::viz {

struct EmbeddedFile {
  std::string_view scene;  ///< folder: "gemm"; "text" for text tables
  std::string_view name;   ///< without extension
  std::string_view text;
};

std::span<const EmbeddedFile> embedded_presets();
std::span<const EmbeddedFile> embedded_texts();

}  // namespace whybits::viz
