// The files of atlas/, compiled in.
#pragma once

#include <span>
#include <string_view>

namespace whybits::cublaslt {

struct EmbeddedAtlas {
  std::string_view name, text;
};
std::span<const EmbeddedAtlas> embedded_atlases();

}  // namespace whybits::cublaslt
