// lesson.en.md and lesson.zh.md: where questions stand, what both must have in common, and the text
// for a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace whybits::course {

/// A stretch of text and the task that is asked after it; the last stretch has none.
struct TextPart {
  std::string text;
  std::string task;
};
std::vector<TextPart> split_at_questions(std::string_view markdown);

/// "# 2", "question tenth", "```console: whybits bits 1", "table of 3 columns", "list of 4": what
/// both languages have in the same order. Code blocks are taken whole.
std::vector<std::string> text_structure(std::string_view markdown);

/// Contents of the ```console blocks, one after the other.
std::string console_text(std::string_view markdown);

/// Numbers of the prose, as they are written: not in code blocks, code spans, links' addresses,
/// headings' ordinals, or inside names such as f16.
std::vector<std::string> prose_numbers(std::string_view markdown);
/// Numbers anywhere in a text, without commas: what a prose number is looked up in.
std::vector<std::string> all_numbers(std::string_view text);

/// Paragraphs filled to `width` columns, code indented, marks taken off or shown as colour.
std::string render_markdown(std::string_view markdown, std::size_t width, bool colour);
/// One paragraph, filled; Chinese breaks anywhere, a wide character takes two columns.
std::string fill(std::string_view text, std::size_t width, std::size_t indent = 0);

}  // namespace whybits::course
