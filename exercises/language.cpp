#include "exercises/language.hpp"

#include <cstdlib>

namespace whybits::course {

std::optional<Language> parse_language(std::string_view name) {
  for (const Language language : {Language::en, Language::zh})
    if (name == language_name(language)) return language;
  return std::nullopt;
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
