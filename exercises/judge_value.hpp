// A number that a learner typed, against a format.
#pragma once

#include <string>
#include <string_view>

#include "sim/format.hpp"

namespace whybits::course {

/// As typed by a person: without commas, blanks and underscores, with a plain minus sign.
std::string without_grouping(std::string_view text);

struct TypedValue {
  Bits code = 0;         ///< of the nearest value of the format
  bool exactly = true;   ///< what was typed is that value
  bool is_word = false;  ///< it was typed as a word
};
/// A value ("2048", "0x1p11", "-inf") or a word ("0x6800"). Throws UsageError.
TypedValue read_typed_value(std::string_view text, const Format& format);

/// "0x6800  0 11010 0000000000  2048 = 0x1p+11".
std::string code_line(const Format& format, Bits code);

/// The same bits, or both NaN; nothing above the word.
bool same_code(const Format& format, Bits a, Bits b);

}  // namespace whybits::course
