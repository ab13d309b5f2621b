// The two languages of the course, and texts that exist in both.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace whybits::course {

enum class Language : std::uint8_t { en, zh };

constexpr std::string_view language_name(Language language) {
  return language == Language::en ? "en" : "zh";
}
/// "en", "zh".
std::optional<Language> parse_language(std::string_view name);
/// Of an option: as parse_language. Throws UsageError.
Language language_option(const std::string& option, const std::string& text);
/// What LC_ALL, LC_MESSAGES, LANG say (the first that is set): Chinese for zh…, else English.
Language language_of_environment();

/// One text in both languages.
struct Bilingual {
  std::string en, zh;
  const std::string& in(Language language) const { return language == Language::en ? en : zh; }
  bool operator==(const Bilingual&) const = default;
};

/// What the course itself says, where it says it.
constexpr std::string_view say(Language language, std::string_view en, std::string_view zh) {
  return language == Language::en ? en : zh;
}

}  // namespace whybits::course
