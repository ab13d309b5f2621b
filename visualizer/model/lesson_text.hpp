// The text of a lesson, as `whybits learn` writes it for reading beside a picture: paragraphs of
// one line each, headings underlined with = or -, code indented by four blanks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace whybits::viz {

struct LessonBlock {
  enum class Kind { heading, paragraph, code };
  Kind kind = Kind::paragraph;
  std::string text;  ///< of code: its lines, without their indent
  bool operator==(const LessonBlock&) const = default;
};

std::vector<LessonBlock> lesson_blocks(std::string_view text);

/// Lines of code broken after so many characters; what goes on is indented by two.
std::string broken_lines(std::string_view code, std::size_t columns);

}  // namespace whybits::viz
