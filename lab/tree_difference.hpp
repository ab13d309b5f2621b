// Where two trees first part, looking from the result down.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/tree.hpp"

namespace whybits {

struct TreeDifference {
  std::vector<std::string> shared;  ///< what both are, from the result down to where they part
  std::string a, b;                 ///< what each is there
};

/// nullopt if they are equal. Follows the first part that differs as long as both trees do the same
/// with equally many parts. O(levels · runs).
std::optional<TreeDifference> first_difference(const Tree& a, const Tree& b);

/// A line for each, "both", "A", "B"; of a long shared way down only the ends.
std::string difference_text(const TreeDifference& difference);

}  // namespace whybits
