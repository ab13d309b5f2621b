// docs/claims.json and docs/glossary.json: well formed, the pages are made from them, and the
// evidence holds.
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "exercises/claims.hpp"
#include "exercises/glossary.hpp"
#include "exercises/lint.hpp"
#include "lab/files.hpp"
#include "lab/usage_error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace whybits;
using namespace whybits::course;
using whybits::test::contains;
using whybits::test::TemporaryFolder;

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
    for (const auto* files : {&claim.recordings, &claim.summaries})
      for (const std::string& file : *files) {
        CAPTURE(claim.id, file);
        CHECK(std::filesystem::exists(std::filesystem::path(WHYBITS_SOURCE_DIR) / file));
      }
}

TEST_CASE("every recording is replayed and every number of what was found is made by the evidence",
          "[.full]") {
  const CommandRunner run = shell_runner(WHYBITS_BINARY, WHYBITS_SOURCE_DIR);
  std::map<std::string, ShellOutput> outputs;  // recordings stand behind several claims
  const CommandRunner once = [&](const std::string& command) {
    const auto [found, fresh] = outputs.try_emplace(command);
    if (fresh) found->second = run(command);
    return found->second;
  };
  for (const Claim& claim : parse_claims(read("claims.json"), "claims.json").claims)
    CHECK(lint_claim(claim, WHYBITS_SOURCE_DIR, once) == Problems{});
}

TEST_CASE("the test that keeps a claim true is there") {
  std::string sources;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(WHYBITS_SOURCE_DIR "/tests"))
    if (entry.path().extension() == ".cpp")
      sources += read_text_file(entry.path(), std::uint64_t{4} << 20);
  for (const Claim& claim : parse_claims(read("claims.json"), "claims.json").claims) {
    CAPTURE(claim.id);
    if (!claim.test.empty()) CHECK_THAT(sources, contains("TEST_CASE(\"" + claim.test + "\""));
  }
}

TEST_CASE("a knob that must not matter gave one output in its sweep on an H200") {
  const auto seen =
      nlohmann::json::parse(std::ifstream(WHYBITS_SOURCE_DIR "/tests/suites/h200-seen.json"));
  const std::map<std::string, std::size_t> settings{
      {"mma-block_m", 20}, {"mma-block_n", 20}, {"mma-group_m", 21},       {"mma-stages", 21},
      {"mma-warps", 21},   {"mma-ctas", 11},    {"wgmma-group_m-ctas", 25}};
  std::size_t found = 0;
  for (const auto& sweep : seen.at("sweeps")) {
    const auto expected = settings.find(sweep.at("name"));
    if (expected == settings.end()) continue;
    ++found;
    CAPTURE(expected->first);
    CHECK(sweep.at("outputs") == 68411);
    REQUIRE(sweep.at("groups").size() == 1);
    const auto& group = sweep.at("groups").at(0);
    CHECK(group.at("settings") == expected->second);
    CHECK(group.at("hashes") == 1);
    CHECK(group.at("compared") > 0);
    CHECK(group.at("wrong") == 0);
  }
  CHECK(found == settings.size());
}

TEST_CASE("a number that a claim's evidence does not make, and a recording that fails, are found") {
  const CommandRunner run = [](const std::string& command) {
    return command.ends_with("good.json") ? ShellOutput{0, "every bit, 4,096 outputs\n"}
                                          : ShellOutput{1, "bits differ\n"};
  };
  const TemporaryFolder folder;
  Claim claim;
  claim.id = "A1";
  claim.claim = {"BLOCK is 128.", "BLOCK 为 128。"};
  claim.says = {"4,096 of 128 outputs.", "4,096 个输出。"};
  claim.recordings = {"good.json"};
  CHECK(lint_claim(claim, folder.path(), run) == Problems{});
  claim.says.zh = "4,097 个输出。";
  CHECK(lint_claim(claim, folder.path(), run) == Problems{"A1, zh: nothing makes the number 4097"});
  folder.write("seen.json", R"({"outputs": 4097})");
  claim.summaries = {"seen.json"};
  CHECK(lint_claim(claim, folder.path(), run) == Problems{});
  claim.recordings.emplace_back("bad.json");
  CHECK(lint_claim(claim, folder.path(), run) ==
        Problems{"'whybits verify --no-controls bad.json' ends with exit code 1, not 0"});
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
