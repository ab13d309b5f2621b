// The last step of any output: text that a terminal takes as text, JSON that every reader takes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace whybits {

/// Control characters but line feeds written out (ESC as \x1b): names in a stranger's file must not
/// steer the terminal.
std::string printable(std::string_view text);

/// Keys in the order in which they were written (docs/json.md). Indented, with a line feed at its
/// end. Bytes that are not UTF-8, as in a file's name, become U+FFFD.
std::string json_text(const nlohmann::ordered_json& document);

}  // namespace whybits
