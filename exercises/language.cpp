#include "exercises/language.hpp"

#include <cstdlib>

#include "lab/usage_error.hpp"

namespace whybits::course {

std::optional<Language> parse_language(std::string_view name) {
  for (const Language language : {Language::en, Language::zh})
    if (name == language_name(language)) return language;
  return std::nullopt;
}

Language language_option(const std::string& option, const std::string& text) {
  if (const auto language = parse_language(text)) return *language;
  throw UsageError(option + ": '" + text + "' is neither en nor zh", "as in " + option + " zh");
}

Language language_of_environment() {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    return std::string_view(value).starts_with("zh") ? Language::zh : Language::en;
  }
  return Language::en;
}

}  // namespace whybits::course
