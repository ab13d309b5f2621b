#include "exercises/lesson_text.hpp"

#include <algorithm>
#include <optional>
#include <regex>
#include <sstream>

#include "exercises/trimmed.hpp"
#include "lab/text_table.hpp"

namespace whybits::course {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

/// The task of a line "**Question `task`**".
std::optional<std::string> asked_task(const std::string& line) {
  for (const std::string_view begin : {"**Question `", "**问题 `"})
    if (line.starts_with(begin) && line.ends_with("`**") && line.size() > begin.size() + 3)
      return line.substr(begin.size(), line.size() - begin.size() - 3);
  return std::nullopt;
}

bool is_fence(const std::string& line) {
  return line.starts_with("```");
}
bool is_table_row(const std::string& line) {
  return line.starts_with("|");
}
/// Columns before the text of a list's entry, 0 for no entry.
std::size_t list_mark(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string::npos) return 0;
  const std::string_view rest = std::string_view(line).substr(begin);
  if (rest.starts_with("- ") || rest.starts_with("* ")) return begin + 2;
  std::size_t digits = 0;
  while (digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9') ++digits;
  if (digits > 0 && digits <= 2 && rest.substr(digits).starts_with(". ")) return begin + digits + 2;
  return 0;
}
std::size_t heading_level(const std::string& line) {
  const std::size_t level = line.find_first_not_of('#');
  return level <= 6 && line[level] == ' ' ? level : 0;
}

std::string without_spans(const std::string& line) {
  static const std::regex code_span("`[^`]*`");
  static const std::regex address("\\]\\([^)]*\\)");
  return std::regex_replace(std::regex_replace(line, code_span, " "), address, "]");
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
         (c >= '0' && c <= '9');
}

/// Appends the numbers of a line: digits, with commas between groups and at most one point, that
/// are not part of a name. With `inside_names`, also of those that are.
void append_numbers(std::vector<std::string>& numbers, const std::string& line, bool inside_names) {
  const auto is_digit = [&](std::size_t i) {
    return i < line.size() && line[i] >= '0' && line[i] <= '9';
  };
  for (std::size_t i = 0; i < line.size();) {
    if (!is_digit(i)) {
      ++i;
      continue;
    }
    const bool in_name = i > 0 && is_name_character(line[i - 1]);
    std::string number;
    bool point = false;
    while (is_digit(i) || (i < line.size() && line[i] == ',' && is_digit(i + 1)) ||
           (i < line.size() && line[i] == '.' && !point && is_digit(i + 1))) {
      point = point || line[i] == '.';
      if (line[i] != ',') number += line[i];
      ++i;
    }
    const bool goes_on = i < line.size() && is_name_character(line[i]) && line[i] != '.';
    if (inside_names || (!in_name && !goes_on)) numbers.push_back(number);
    if (!inside_names)
      while (goes_on && i < line.size() && is_name_character(line[i])) ++i;
  }
}

}  // namespace

std::vector<TextPart> split_at_questions(std::string_view markdown) {
  std::vector<TextPart> parts(1);
  for (const std::string& line : lines_of(markdown)) {
    if (const auto task = asked_task(line)) {
      parts.back().task = *task;
      parts.emplace_back();
    } else {
      parts.back().text += line + '\n';
    }
  }
  return parts;
}

std::vector<std::string> text_structure(std::string_view markdown) {
  std::vector<std::string> structure;
  const std::vector<std::string> lines = lines_of(markdown);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (is_fence(line)) {
      std::string block = line;
      for (++i; i < lines.size() && !is_fence(lines[i]); ++i) block += '\n' + lines[i];
      structure.push_back(block);
    } else if (const auto task = asked_task(line)) {
      structure.push_back("question " + *task);
    } else if (heading_level(line) > 0) {
      structure.push_back(std::string(heading_level(line), '#'));
    } else if (is_table_row(line)) {
      const auto bars = std::count(line.begin(), line.end(), '|');
      std::size_t rows = 1;
      for (; i + 1 < lines.size() && is_table_row(lines[i + 1]); ++i) ++rows;
      structure.push_back("table of " + std::to_string(bars - 1) + " columns, " +
                          std::to_string(rows) + " rows");
    } else if (list_mark(line) > 0) {
      std::size_t entries = 1;
      while (i + 1 < lines.size() && !lines[i + 1].empty())
        if (list_mark(lines[++i]) > 0) ++entries;
      structure.push_back("list of " + std::to_string(entries));
    }
  }
  return structure;
}

std::string console_text(std::string_view markdown) {
  std::string text;
  bool inside = false;
  for (const std::string& line : lines_of(markdown)) {
    if (is_fence(line))
      inside = !inside && line == "```console";
    else if (inside)
      text += line + '\n';
  }
  return text;
}

std::vector<std::string> prose_numbers(std::string_view markdown) {
  std::vector<std::string> numbers;
  bool inside = false;
  bool first = true;
  for (const std::string& line : lines_of(markdown)) {
    if (is_fence(line)) inside = !inside;
    if (inside || is_fence(line)) continue;
    if (first && heading_level(line) == 1) {  // "# 3 Title"
      first = false;
      continue;
    }
    append_numbers(numbers, without_spans(line), false);
  }
  return numbers;
}

std::vector<std::string> all_numbers(std::string_view text) {
  std::vector<std::string> numbers;
  for (const std::string& line : lines_of(text)) append_numbers(numbers, line, true);
  return numbers;
}

// ---- for a terminal --------------------------------------------------------------------------

namespace {

/// One character of UTF-8 and its columns.
struct Glyph {
  std::string_view bytes;
  std::size_t columns = 1;
  bool wide() const { return columns == 2; }  ///< a line may end after it
};

Glyph next_glyph(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  const std::string_view bytes = text.substr(0, length);
  return {bytes, display_width(std::string(bytes))};
}

/// Closing punctuation does not begin a line.
bool sticks_to_the_left(std::string_view glyph) {
  constexpr std::string_view closing[] = {"，", "。", "、", "；", "：",
                                          "？", "！", "）", "”",  "》"};
  return std::find(std::begin(closing), std::end(closing), glyph) != std::end(closing);
}

constexpr std::string_view bold = "\x1b[1m", italic = "\x1b[3m", dim = "\x1b[36m",
                           plain = "\x1b[0m";

/// A star that begins emphasis has a word behind it, one that ends it has one before it.
bool touches_a_word(const std::string& text, std::size_t star, bool ends) {
  const std::size_t neighbour = ends ? star - 1 : star + 1;
  return neighbour < text.size() && text[neighbour] != ' ';
}

/// Takes off ** and * and link addresses; code spans become coloured or keep their marks.
std::string inline_marks(std::string_view text, bool colour) {
  static const std::regex link("\\[([^\\]]*)\\]\\([^)]*\\)");
  std::string flat = std::regex_replace(std::string(text), link, "$1");
  std::string out;
  bool code = false, strong = false, emphasis = false;
  for (std::size_t i = 0; i < flat.size(); ++i) {
    if (flat[i] == '`') {
      code = !code;
      if (colour)
        out += code ? dim : plain;
      else
        out += '`';
    } else if (!code && flat.compare(i, 2, "**") == 0) {
      strong = !strong;
      if (colour) out += strong ? bold : plain;
      ++i;
    } else if (!code && flat[i] == '*' && touches_a_word(flat, i, emphasis)) {
      emphasis = !emphasis;
      if (colour) out += emphasis ? italic : plain;
    } else {
      out += flat[i];
    }
  }
  return out;
}

}  // namespace

std::string fill(std::string_view text, std::size_t width, std::size_t indent) {
  // Pieces that hold together: words, and single wide characters with what sticks to them.
  struct Piece {
    std::string text;
    std::size_t columns = 0;
    bool space_before = false;
  };
  std::vector<Piece> pieces;
  bool space = false, join = false;
  for (std::string_view rest = text; !rest.empty();) {
    const Glyph glyph = next_glyph(rest);
    rest.remove_prefix(std::min(glyph.bytes.size(), rest.size()));
    if (glyph.bytes == " " || glyph.bytes == "\n") {
      space = true;
      join = false;
      continue;
    }
    const bool escape = glyph.bytes == "\x1b";
    if (escape) {  // colour takes no columns
      std::string sequence(glyph.bytes);
      while (!rest.empty()) {
        sequence += rest.front();
        rest.remove_prefix(1);
        if (sequence.back() == 'm') break;
      }
      if (pieces.empty() || space) pieces.push_back({"", 0, space}), space = false, join = true;
      pieces.back().text += sequence;
      continue;
    }
    const bool attach =
        !pieces.empty() && !space &&
        (join ? !glyph.wide() || sticks_to_the_left(glyph.bytes) : sticks_to_the_left(glyph.bytes));
    if (!attach) pieces.push_back({"", 0, space});
    pieces.back().text += glyph.bytes;
    pieces.back().columns += glyph.columns;
    space = false;
    join = !glyph.wide();
  }
  std::string out(indent, ' ');
  std::size_t used = indent;
  bool fresh = true;
  for (const Piece& piece : pieces) {
    const std::size_t needed = piece.columns + (piece.space_before && !fresh ? 1 : 0);
    if (!fresh && used + needed > width) {
      out += '\n' + std::string(indent, ' ');
      used = indent;
      fresh = true;
    }
    if (piece.space_before && !fresh) out += ' ', ++used;
    out += piece.text;
    used += piece.columns;
    fresh = false;
  }
  return out;
}

namespace {

/// "| a | b |": "a", "b".
std::vector<std::string> table_cells(std::string_view row) {
  std::vector<std::string> cells;
  for (std::size_t begin = 1; begin < row.size();) {
    const std::size_t end = std::min(row.find('|', begin), row.size());
    cells.push_back(inline_marks(trimmed(row.substr(begin, end - begin)), false));
    begin = end + 1;
  }
  return cells;
}

/// Rows of Markdown, the second of which is only a rule, as aligned columns set like code.
std::string table_text(const std::vector<std::string>& rows) {
  TextTable table(table_cells(rows.front()));
  for (std::size_t i = 2; i < rows.size(); ++i) table.row(table_cells(rows[i]));
  return table.text(4);
}

}  // namespace

std::string render_markdown(std::string_view markdown, std::size_t width, bool colour) {
  std::string out;
  std::vector<std::string> rows;  // of the table that is being read
  std::string paragraph;
  std::size_t indent = 0;
  std::string mark;
  const auto finish_paragraph = [&] {
    if (!paragraph.empty()) {
      std::string filled = fill(inline_marks(paragraph, colour), width, indent);
      if (!mark.empty()) filled.replace(0, mark.size(), mark);
      out += filled + '\n';
    }
    paragraph.clear();
    mark.clear();
    indent = 0;
  };
  bool code = false;
  const auto finish_table = [&] {
    if (!rows.empty()) out += table_text(rows);
    rows.clear();
  };
  for (const std::string& line : lines_of(markdown)) {
    if (!is_table_row(line)) finish_table();
    if (is_fence(line)) {
      finish_paragraph();
      code = !code;
    } else if (code) {
      out += (line.empty() ? "" : "    " + line) + '\n';
    } else if (line.empty()) {
      finish_paragraph();
      if (!out.empty() && !out.ends_with("\n\n")) out += '\n';
    } else if (const std::size_t level = heading_level(line)) {
      finish_paragraph();
      const std::string title = line.substr(level + 1);
      out += colour ? std::string(bold) + title + std::string(plain) + '\n' : title + '\n';
      if (!colour)
        out +=
            std::string(std::min<std::size_t>(display_width(title), 60), level == 1 ? '=' : '-') +
            '\n';
    } else if (is_table_row(line)) {
      finish_paragraph();
      rows.push_back(line);
    } else if (const std::size_t columns = list_mark(line)) {
      finish_paragraph();
      mark = line.substr(0, columns);
      indent = columns;
      paragraph = line.substr(columns);
    } else {
      const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
      // Lines of Chinese join without a blank.
      const bool wide_join = !paragraph.empty() && begin < line.size() &&
                             static_cast<unsigned char>(paragraph.back()) >= 0x80 &&
                             static_cast<unsigned char>(line[begin]) >= 0xe3;
      if (!paragraph.empty() && !wide_join) paragraph += ' ';
      paragraph += line.substr(begin);
    }
  }
  finish_table();
  finish_paragraph();
  return out;
}

}  // namespace whybits::course
