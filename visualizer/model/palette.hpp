// The command palette: which commands a few letters mean, best first.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace whybits::viz {

struct PaletteMatch {
  std::size_t command = 0;
  int score = 0;
  std::vector<std::size_t> places;  ///< bytes of the command's text that were matched
};

/// All letters of the query, in order, anywhere in the text; letters at the beginnings of words and
/// next to one another count more. Upper and lower case are alike. An empty query gives all, in
/// their order.
std::vector<PaletteMatch> match_commands(std::string_view query,
                                         std::span<const std::string> commands);

}  // namespace whybits::viz
