// Units and formats of the notation (notation.hpp has the entry points).
#pragma once

#include "sim/notation_cursor.hpp"
#include "sim/unit.hpp"

namespace whybits {

/// UNIT or UNIT > FORMAT.
Unit read_unit(NotationCursor& cursor);
/// FORMAT with suffixes; `where` says after what, for messages: "after '>'".
Conversion read_conversion(NotationCursor& cursor, const std::string& where);

/// What is wrong with a name that is no unit, and what would be right.
std::string explain_unknown_unit(std::string_view name);

}  // namespace whybits
