// Names in lower case, whatever the locale.
#pragma once

#include <string>
#include <string_view>

namespace whybits {

/// A to Z as a to z; everything else as it is.
inline std::string ascii_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

}  // namespace whybits
