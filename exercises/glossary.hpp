// The terms of the course, one sentence each in both languages: docs/glossary.json.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exercises/language.hpp"

namespace whybits::course {

struct Term {
  Bilingual term, says;
};
/// In the order of the file. Throws UsageError; a term is there once.
std::vector<Term> parse_glossary(std::string_view text, const std::string& where);

/// docs/glossary.md, docs/glossary.zh-CN.md: in English by the alphabet, in Chinese in the order of
/// the English terms, which stand beside.
std::string glossary_markdown(std::vector<Term> terms, Language language);

}  // namespace whybits::course
