#include "sim/notation_cursor.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace whybits {
namespace {

constexpr std::size_t max_text = std::size_t{1} << 24;

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

bool is_word_char(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0 || c == '_' || c == '.';
}

/// Length of the UTF-8 character at `at`, 0 if it is broken.
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (length == 0 || lead > 0xf4 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (!is_continuation(text[at + i])) return 0;
  return length;
}

/// "2^40" reads better than 1099511627776.
std::string limit(std::uint64_t number) {
  if (number < 100'000 || (number & (number - 1)) != 0) return std::to_string(number);
  int exponent = 0;
  while (number >>= 1) ++exponent;
  return "2^" + std::to_string(exponent);
}

/// Printable: control characters become blanks, broken UTF-8 becomes '?'.
std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text, i);
    if (length == 0) {
      out += '?';
    } else if (length == 1 && (static_cast<unsigned char>(text[i]) < 0x20 || text[i] == 0x7f)) {
      out += ' ';
    } else {
      out += text.substr(i, length);
    }
    i += length == 0 ? 1 : length;
  }
  return out;
}

/// First byte of character `index`, or the size.
std::size_t byte_of(std::string_view text, std::size_t index) {
  std::size_t at = 0;
  for (; index > 0 && at < text.size(); --index)
    at += std::max<std::size_t>(1, character_length(text, at));
  return at;
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count)
    at += std::max<std::size_t>(1, character_length(text, at));
  return count;
}

}  // namespace

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  const std::size_t end = byte_of(text, longest);
  return "'" + printable(text.substr(0, end)) + (end < text.size() ? "…'" : "'");
}

NotationCursor::NotationCursor(std::string_view text) : text_(text) {
  if (text.size() > max_text)
    throw NotationError(text.substr(0, 60), 0,
                        "this is " + std::to_string(text.size()) + " bytes; at most 2^24 are read");
}

void NotationCursor::skip_space() {
  while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
}

bool NotationCursor::accept(char mark) {
  if (at_end() || text_[at_] != mark) return false;
  ++at_;
  return true;
}

bool NotationCursor::accept(std::string_view mark) {
  if (text_.substr(at(), mark.size()) != mark) return false;
  at_ += mark.size();
  return true;
}

void NotationCursor::expect(char mark, const std::string& why) {
  if (!accept(mark)) fail(at(), std::string("expected '") + mark + "' " + why + found(at()));
}

std::string_view NotationCursor::word() {
  const std::string_view result = next_word();
  at_ += result.size();
  return result;
}

std::string_view NotationCursor::next_word() {
  const std::size_t begin = at();
  std::size_t end = begin;
  while (end < text_.size() && is_word_char(text_[end])) ++end;
  return text_.substr(begin, end - begin);
}

std::uint64_t NotationCursor::number(const std::string& what, std::uint64_t least,
                                     std::uint64_t most) {
  const std::size_t begin = at();
  std::uint64_t value = 0;
  const char* first = text_.data() + begin;
  const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value);
  if (end == first) fail(begin, "expected " + what + found(begin));
  const std::string_view digits = text_.substr(begin, static_cast<std::size_t>(end - first));
  if (error != std::errc() || value < least || value > most)
    fail(begin, what + " is from " + limit(least) + " to " + limit(most) + ", not " +
                    std::string(digits.substr(0, 24)) + (digits.size() > 24 ? "…" : ""));
  at_ += digits.size();
  return value;
}

int NotationCursor::signed_number(const std::string& what, int least, int most) {
  const std::size_t begin = at();
  int value = 0;
  const char* first = text_.data() + begin;
  const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value);
  if (end == first || error != std::errc() || value < least || value > most)
    fail(begin,
         what + " is from " + std::to_string(least) + " to " + std::to_string(most) + found(begin));
  at_ += static_cast<std::size_t>(end - first);
  return value;
}

std::size_t NotationCursor::column(std::size_t place) const {
  return count_characters(text_.substr(0, place)) + 1;
}

std::string NotationCursor::found(std::size_t place) const {
  if (place >= text_.size()) return ", found the end";
  std::size_t end = place;
  while (end < text_.size() && is_word_char(text_[end])) ++end;
  return ", found " + quoted(text_.substr(place, std::max<std::size_t>(1, end - place)));
}

void NotationCursor::fail(std::size_t place, const std::string& message) const {
  throw NotationError(text_, place, message);
}

NotationError::NotationError(std::string_view text, std::size_t byte, const std::string& message)
    : std::runtime_error(message),
      column_(count_characters(text.substr(0, std::min(byte, text.size()))) + 1) {
  // Long texts are kept around the place alone.
  constexpr std::size_t before = 60;
  constexpr std::size_t after = 40;
  const std::size_t place = column_ - 1;
  const std::size_t dropped = place > before + 1 ? place - before : 0;
  const std::size_t begin = byte_of(text, dropped);
  const std::size_t end = begin + byte_of(text.substr(begin), place - dropped + after);
  line_ = (dropped > 0 ? "…" : "") + printable(text.substr(begin, end - begin)) +
          (end < text.size() ? "…" : "");
  caret_ = place - dropped + (dropped > 0 ? 1 : 0);
}

std::string NotationError::pointed() const {
  return line_ + "\n" + std::string(caret_, ' ') + "^ column " + std::to_string(column_) + ": " +
         what();
}

}  // namespace whybits
