// docs/claims.json and docs/glossary.json: well formed, and the pages are made from them.
#include "exercises/claims.hpp"
#include "exercises/glossary.hpp"
#include "exercises/run_evidence.hpp"
#include "lab/files.hpp"
#include "lab/usage_error.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using namespace whybits::course;
using whybits::test::contains;

namespace {

const std::filesystem::path docs = std::filesystem::path(WHYBITS_SOURCE_DIR) / "docs";

std::string read(const std::string& name) {
  return read_text_file(docs / name, std::uint64_t{4} << 20);
}

std::string refusal(const std::string& claim) {
  const std::string file =
      R"({"whybits_claims": 1, "groups": [{"id": "A", "title": {"en": "a", "zh": "甲"}}],
 "claims": [)" +
      claim + "]}";
  try {
    (void)parse_claims(file, "claims.json");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the pages of claims are made from docs/claims.json") {
  const Claims claims = parse_claims(read("claims.json"), "claims.json");
  CHECK(claims_markdown(claims, Language::en) == read("claims.md"));
  CHECK(claims_markdown(claims, Language::zh) == read("claims.zh-CN.md"));
}

TEST_CASE("the glossary's pages are made from docs/glossary.json") {
  const auto terms = parse_glossary(read("glossary.json"), "glossary.json");
  CHECK(glossary_markdown(terms, Language::en) == read("glossary.md"));
  CHECK(glossary_markdown(terms, Language::zh) == read("glossary.zh-CN.md"));
}

TEST_CASE("every claim of the article is there, and its recordings exist") {
  const Claims claims = parse_claims(read("claims.json"), "claims.json");
  for (const auto& [group, count] : {std::pair("A", 4), std::pair("B", 15), std::pair("C", 5),
                                     std::pair("D", 5), std::pair("E", 6)})
    for (int i = 1; i <= count; ++i) {
      CAPTURE(group, i);
      CHECK(claims.find(group + std::to_string(i)) != nullptr);
    }
  for (const Claim& claim : claims.claims)
    for (const std::string& recording : claim.recordings) {
      CAPTURE(claim.id, recording);
      CHECK(std::filesystem::exists(std::filesystem::path(WHYBITS_SOURCE_DIR) / recording));
    }
}

TEST_CASE("the commands of the claims print what is claimed", "[.full]") {
  const CommandRunner run = shell_runner(WHYBITS_BINARY, WHYBITS_SOURCE_DIR);
  for (const Claim& claim : parse_claims(read("claims.json"), "claims.json").claims)
    for (const Evidence& evidence : claim.commands) {
      CAPTURE(claim.id, evidence.command);
      CHECK(evidence_problem(evidence, run(evidence.command)) == "");
    }
}

TEST_CASE("a verdict without evidence or test is refused") {
  const std::string texts = R"("claim": {"en": "c", "zh": "论"}, "says": {"en": "s", "zh": "说"})";
  const auto claim = [&](const std::string& rest) { return refusal("{" + texts + rest + "}"); };
  CHECK(claim(R"(, "id": "A1", "verdict": "not_measured")") == "");
  CHECK_THAT(claim(R"(, "id": "A1", "verdict": "confirmed", "test": "x")"),
             contains("needs evidence"));
  CHECK_THAT(claim(R"(, "id": "A1", "verdict": "refuted", "evidence": [{"recording": "r"}])"),
             contains("needs a test"));
  CHECK_THAT(claim(R"(, "id": "Z1", "verdict": "not_measured")"), contains("in no group"));
  CHECK_THAT(claim(R"(, "id": "A1", "verdict": "maybe")"), contains("claims[0].verdict"));
  CHECK_THAT(
      claim(
          R"(, "id": "A1", "verdict": "refined", "test": "x", "evidence": [{"command": "rm x", "contains": []}])"),
      contains("not a command of whybits"));
}
