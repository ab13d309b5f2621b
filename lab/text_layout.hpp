// Text in 80 columns.
#pragma once

#include <string>
#include <string_view>

namespace whybits {

inline constexpr std::size_t text_columns = 80;

/// Columns that UTF-8 text takes: its code points.
std::size_t columns(std::string_view text);

/// Breaks at spaces; lines after the first are indented. A word that is longer stays whole.
std::string wrap(std::string_view text, std::size_t indent);

/// Breaks a long number between digits; beyond four lines the middle is left out and counted.
std::string wrap_digits(std::string_view digits, std::size_t indent);

}  // namespace whybits
