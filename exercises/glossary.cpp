#include "exercises/glossary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "exercises/bilingual_json.hpp"
#include "lab/strict_json.hpp"

namespace whybits::course {

std::vector<Term> parse_glossary(std::string_view text, const std::string& where) {
  const nlohmann::json document = parse_strict_json(text, where);
  const JsonField root(document, where);
  root.allow_only({"whybits_glossary", "terms"});
  (void)root.at("whybits_glossary").number(1, 1);
  std::vector<Term> terms;
  for (const JsonField& field : root.at("terms").elements()) {
    field.allow_only({"term", "says"});
    Term term{read_bilingual(field.at("term")), read_bilingual(field.at("says"))};
    for (const Term& other : terms)
      if (other.term.en == term.term.en) field.fail("a second '" + term.term.en + "'");
    terms.push_back(std::move(term));
  }
  return terms;
}

std::string glossary_markdown(std::vector<Term> terms, Language language) {
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    return std::lexicographical_compare(
        a.term.en.begin(), a.term.en.end(), b.term.en.begin(), b.term.en.end(),
        [](unsigned char x, unsigned char y) { return std::tolower(x) < std::tolower(y); });
  });
  std::string text = fmt::format("# {}\n\n<!-- {} -->\n\n", say(language, "Glossary", "术语表"),
                                 "made from docs/glossary.json by whybits claims --glossary");
  for (const Term& term : terms)
    text += language == Language::en
                ? fmt::format("- **{}** ({}): {}\n", term.term.en, term.term.zh, term.says.en)
                : fmt::format("- **{}**（{}）：{}\n", term.term.zh, term.term.en, term.says.zh);
  return text;
}

}  // namespace whybits::course
