#include "visualizer/model/lesson_text.hpp"

#include <algorithm>
#include <sstream>

namespace whybits::viz {
namespace {

constexpr std::string_view code_indent = "    ";

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool is_underline(const std::string& line) {
  return !line.empty() && (line.find_first_not_of('=') == std::string::npos ||
                           line.find_first_not_of('-') == std::string::npos);
}

bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
}

}  // namespace

std::vector<LessonBlock> lesson_blocks(std::string_view text) {
  using Kind = LessonBlock::Kind;
  std::vector<LessonBlock> blocks;
  const std::vector<std::string> lines = lines_of(text);
  bool after_code = false;      // the last block is code, and only empty lines came since
  std::size_t empty_lines = 0;  // since then
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (line.starts_with(code_indent)) {
      const std::string code = line.substr(code_indent.size());
      if (after_code)
        blocks.back().text += std::string(empty_lines + 1, '\n') + code;
      else
        blocks.push_back({Kind::code, code});
      after_code = true;
      empty_lines = 0;
      continue;
    }
    ++empty_lines;
    if (line.empty()) continue;  // inside code it is a line of it
    after_code = false;
    const bool heading = i + 1 < lines.size() && is_underline(lines[i + 1]);
    blocks.push_back({heading ? Kind::heading : Kind::paragraph, line});
    if (heading) ++i;
  }
  return blocks;
}

std::string broken_lines(std::string_view code, std::size_t columns) {
  columns = std::max<std::size_t>(columns, 8);
  std::string out;
  std::size_t used = 0;
  for (const char byte : code) {
    if (byte == '\n') {
      used = 0;
    } else if (starts_character(byte)) {
      if (used == columns) {
        out += "\n  ";
        used = 2;
      }
      ++used;
    }
    out += byte;
  }
  return out;
}

}  // namespace whybits::viz
