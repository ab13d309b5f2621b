// Every text on screen, by key, in the languages of visualizer/text/*.json.
//
// A table is a flat object. Keys "term.X" are names that stand in panels, "tip.X" the sentence that
// explains the term. English is complete; another language shows English where it has no entry.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace whybits::viz {

enum class Language : unsigned char { english, chinese };

/// The language of all following look-ups; the table is process-wide, as the screen is.
void set_language(Language language);
Language language();

/// The text of a key, and the key itself where no table has it (a test finds those). The pointer
/// stays valid.
const std::string& text(std::string_view key);
bool has_text(Language language, std::string_view key);
/// All keys of one language, sorted.
std::vector<std::string_view> text_keys(Language language);

/// {0}, {1}, … replaced in the text of a key.
template <class... Args>
std::string text(std::string_view key, Args&&... args)
  requires(sizeof...(Args) > 0)
{
  return fmt::vformat(text(key), fmt::make_format_args(args...));
}
/// The same for arguments made elsewhere (generated sentences).
std::string text_with(std::string_view key, const std::vector<std::string>& args);

}  // namespace whybits::viz
