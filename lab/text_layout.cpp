#include "lab/text_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace whybits {

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;  // not the rest of a code point
  }));
}

std::string wrap(std::string_view text, std::size_t indent) {
  std::string result;
  std::size_t used = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t width = columns(word);
    if (!result.empty() && used + 1 + width > text_columns) {
      result += '\n' + std::string(indent, ' ');
      used = indent;
    } else if (!result.empty()) {
      result += ' ';
      ++used;
    }
    result += word;
    used += width;
  }
  return result;
}

std::string wrap_digits(std::string_view digits, std::size_t indent) {
  const std::size_t width = text_columns - indent;
  const std::string line_break = '\n' + std::string(indent, ' ');
  if (digits.size() > 4 * width) {
    const std::size_t left_out = digits.size() - 3 * width;
    return wrap_digits(digits.substr(0, 2 * width), indent) + line_break +
           fmt::format("… {} digits …", left_out) + line_break +
           std::string(digits.substr(digits.size() - width));
  }
  std::string result;
  for (; digits.size() > width; digits.remove_prefix(width))
    result.append(digits.substr(0, width)) += line_break;
  return result.append(digits);
}

}  // namespace whybits
