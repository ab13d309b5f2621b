// A place in a notation text: reads words, numbers and marks, and fails with place and reason.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/notation.hpp"

namespace whybits {

/// Quoted for a message: shortened, without control characters and broken UTF-8.
std::string quoted(std::string_view text);

class NotationCursor {
 public:
  explicit NotationCursor(std::string_view text);

  std::string_view text() const { return text_; }
  /// Where the next token begins, white space skipped.
  std::size_t at() {
    skip_space();
    return at_;
  }
  void back_to(std::size_t place) { at_ = place; }
  bool at_end() { return at() >= text_.size(); }
  char peek() { return at_end() ? '\0' : text_[at_]; }

  bool accept(char mark);
  bool accept(std::string_view mark);
  /// Errors: "expected 'MARK' WHY, found …".
  void expect(char mark, const std::string& why);

  /// A word of letters, digits, '_' and '.'; empty if none stands here. Bytes beyond ASCII belong
  /// to words, so that messages show them whole; no valid word has any.
  std::string_view word();
  /// The word that stands here, without taking it.
  std::string_view next_word();

  std::uint64_t number(const std::string& what, std::uint64_t least, std::uint64_t most);
  int signed_number(const std::string& what, int least, int most);

  std::size_t column(std::size_t place) const;  ///< counted in characters from 1
  /// ", found 'x'" or ", found the end", for what stands at a place.
  std::string found(std::size_t place) const;
  [[noreturn]] void fail(std::size_t place, const std::string& message) const;

 private:
  void skip_space();

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace whybits
