// {"en": "…", "zh": "…"}
#pragma once

#include "exercises/language.hpp"
#include "lab/json_field.hpp"

namespace whybits::course {

/// Throws UsageError if a language is missing or empty, or there is anything else.
inline Bilingual read_bilingual(const JsonField& field) {
  field.allow_only({"en", "zh"});
  Bilingual text{field.at("en").text(), field.at("zh").text()};
  if (text.en.empty() || text.zh.empty()) field.fail("empty in one of the languages");
  return text;
}

}  // namespace whybits::course
