#include "lab/output_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace whybits {
namespace {

/// A C1 control character in UTF-8, U+0080 to U+009F: terminals obey them as they do ESC.
bool is_c1(std::string_view text) {
  return text.size() > 1 && text[0] == '\xc2' && static_cast<unsigned char>(text[1]) < 0xa0;
}

bool is_c0(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  for (; !text.empty(); text.remove_prefix(1)) {
    const char c = text[0];
    if (is_c1(text)) {
      text.remove_prefix(1);
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (is_c0(c) && c != '\n') {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string json_text(const nlohmann::ordered_json& document) {
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace whybits
