// What a person typed, without the blanks around it.
#pragma once

#include <string>
#include <string_view>

namespace whybits::course {

inline std::string trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(blanks) - begin + 1));
}

}  // namespace whybits::course
