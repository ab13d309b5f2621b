#include "visualizer/model/parting.hpp"

#include <algorithm>

namespace whybits::viz {

std::size_t common_start(std::string_view a, std::string_view b) {
  const std::size_t least = std::min(a.size(), b.size());
  std::size_t common = 0;
  while (common < least && a[common] == b[common]) ++common;
  const auto within = [&](std::string_view text) {
    return common < text.size() && (static_cast<unsigned char>(text[common]) & 0xC0U) == 0x80U;
  };
  while (common > 0 && (within(a) || within(b))) --common;
  return common;
}

std::pair<std::string, std::string> without_common_start(std::string_view a, std::string_view b) {
  constexpr std::size_t context = 8;  // of what is common, left for reading
  std::size_t start = common_start(a, b);
  start -= std::min(start, context);
  const auto in_word = [&](std::size_t i) {  // of ASCII: all others are in words
    return a[i] != ' ' && a[i] != '(' && a[i] != ',';
  };
  while (start > 0 && in_word(start - 1)) --start;
  if (start < context) return {std::string(a), std::string(b)};
  return {"…" + std::string(a.substr(start)), "…" + std::string(b.substr(start))};
}

}  // namespace whybits::viz
