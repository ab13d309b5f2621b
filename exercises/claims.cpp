#include "exercises/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "exercises/bilingual_json.hpp"
#include "exercises/evidence_json.hpp"
#include "exercises/lesson_text.hpp"
#include "lab/strict_json.hpp"

namespace whybits::course {
namespace {

constexpr std::array<std::string_view, 4> verdict_names{"confirmed", "refined", "refuted",
                                                        "not_measured"};

Bilingual verdict_word(ClaimVerdict verdict) {
  static const std::array<Bilingual, 4> words{{{"confirmed", "证实"},
                                               {"refined", "修正"},
                                               {"refuted", "否定"},
                                               {"not measured yet", "尚未测量"}}};
  return words[static_cast<std::size_t>(verdict)];
}

ClaimVerdict read_verdict(const JsonField& field) {
  const auto found = std::find(verdict_names.begin(), verdict_names.end(), field.text());
  if (found == verdict_names.end())
    field.fail(fmt::format("'{}' is none of {}", field.text(), fmt::join(verdict_names, ", ")));
  return static_cast<ClaimVerdict>(found - verdict_names.begin());
}

Claim read_claim(const JsonField& field, const Claims& before) {
  field.allow_only({"id", "claim", "verdict", "says", "evidence", "test", "source"});
  Claim claim;
  claim.id = field.at("id").text();
  if (claim.id.empty() || before.find(claim.id)) field.at("id").fail("empty, or a second one");
  claim.claim = read_bilingual(field.at("claim"));
  claim.verdict = read_verdict(field.at("verdict"));
  claim.says = read_bilingual(field.at("says"));
  if (const auto evidence = field.find("evidence"))
    for (const JsonField& one : evidence->elements()) {
      if (const auto recording = one.find("recording")) {
        one.allow_only({"recording"});
        claim.recordings.push_back(recording->text());
      } else if (const auto summary = one.find("summary")) {
        one.allow_only({"summary"});
        claim.summaries.push_back(summary->text());
      } else {
        claim.commands.push_back(read_evidence(one));
      }
    }
  if (const auto test = field.find("test")) claim.test = test->text();
  if (const auto source = field.find("source")) claim.source = source->text();
  const bool decided = claim.verdict != ClaimVerdict::not_measured;
  if (decided && claim.commands.empty() && claim.recordings.empty())
    field.fail("a verdict needs evidence");
  if (decided && claim.test.empty()) field.fail("a verdict needs a test that keeps it true");
  return claim;
}

std::string group_of(const Claims& claims, const Claim& claim) {
  for (const Claims::Group& group : claims.groups)
    if (claim.id.starts_with(group.id)) return group.id;
  return "";
}

/// A paragraph of its own; "" for no files.
std::string files_line(std::string_view head, const std::vector<std::string>& files) {
  return files.empty() ? "" : fmt::format("\n{} `{}`\n", head, fmt::join(files, "`, `"));
}

}  // namespace

std::string_view claim_verdict_name(ClaimVerdict verdict) {
  return verdict_names[static_cast<std::size_t>(verdict)];
}

const Claim* Claims::find(std::string_view id) const {
  const auto found =
      std::find_if(claims.begin(), claims.end(), [&](const Claim& c) { return c.id == id; });
  return found == claims.end() ? nullptr : &*found;
}

Claims parse_claims(std::string_view text, const std::string& where) {
  const nlohmann::json document = parse_strict_json(text, where);
  const JsonField root(document, where);
  root.allow_only({"whybits_claims", "groups", "claims"});
  (void)root.at("whybits_claims").number(1, 1);
  Claims claims;
  for (const JsonField& group : root.at("groups").elements()) {
    group.allow_only({"id", "title"});
    claims.groups.push_back({group.at("id").text(), read_bilingual(group.at("title"))});
  }
  for (const JsonField& field : root.at("claims").elements()) {
    Claim claim = read_claim(field, claims);
    if (group_of(claims, claim).empty()) field.fail("'" + claim.id + "' is in no group");
    claims.claims.push_back(std::move(claim));
  }
  return claims;
}

std::vector<Evidence> runnable_evidence(const Claim& claim) {
  std::vector<Evidence> evidence = claim.commands;
  for (const std::string& recording : claim.recordings)
    evidence.push_back({"whybits verify --no-controls " + recording, 0, {"every bit"}});
  return evidence;
}

std::string claims_text(const Claims& claims, Language language, std::size_t width) {
  std::string text;
  for (const Claims::Group& group : claims.groups) {
    text += fmt::format("{}{}. {}\n", text.empty() ? "" : "\n", group.id, group.title.in(language));
    for (const Claim& claim : claims.claims) {
      if (group_of(claims, claim) != group.id) continue;
      const std::string head =
          fmt::format("  {:<4} {}", claim.id, verdict_word(claim.verdict).in(language));
      text += head + '\n' + fill(claim.claim.in(language), width, 7) + '\n';
    }
  }
  std::array<std::size_t, 4> counts{};
  for (const Claim& claim : claims.claims) ++counts[static_cast<std::size_t>(claim.verdict)];
  text += '\n';
  for (std::size_t i = 0; i < counts.size(); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", counts[i],
                        verdict_word(static_cast<ClaimVerdict>(i)).in(language));
  return text + fmt::format(".\n{}\n", say(language, "Evidence of one: whybits claims B7",
                                           "查看某一条的证据：whybits claims B7"));
}

std::string claim_text(const Claim& claim, Language language, std::size_t width) {
  std::string text =
      fmt::format("{}  {}\n\n{}\n\n{}\n", claim.id, verdict_word(claim.verdict).in(language),
                  fill(claim.claim.in(language), width), fill(claim.says.in(language), width));
  if (!claim.commands.empty() || !claim.recordings.empty() || !claim.summaries.empty())
    text += fmt::format("\n{}\n", say(language, "evidence", "证据"));
  for (const Evidence& evidence : claim.commands) {
    text += fmt::format("  $ {}\n", evidence.command);
    for (const std::string& line : evidence.contains) text += fmt::format("      {}\n", line);
  }
  for (const auto* files : {&claim.recordings, &claim.summaries})
    for (const std::string& file : *files) text += fmt::format("  {}\n", file);
  if (!claim.test.empty())
    text += fmt::format("\n{}\n  ctest -R '{}'\n", say(language, "kept true by", "由此测试守护"),
                        claim.test);
  if (!claim.source.empty())
    text += fmt::format("\n{}\n  {}\n", say(language, "source", "来源"), claim.source);
  return text;
}

std::string claims_markdown(const Claims& claims, Language language) {
  std::string text = fmt::format(
      "# {}\n\n<!-- {} -->\n\n{}\n", say(language, "Claims", "论断"),
      "made from docs/claims.json by whybits claims --markdown",
      say(language,
          "What the article on batch invariance says, claim by claim, and what was found. "
          "`whybits claims` lists\nthem, `whybits claims B7` shows the evidence of one. Commands "
          "run in "
          "the root of the source tree.",
          "那篇关于批次不变性的文章逐条说了什么，我们又测到了什么。`whybits claims` "
          "列出全部，`whybits claims B7` "
          "显示某一条的证据。命令在源码根目录下运行。"));
  for (const Claims::Group& group : claims.groups) {
    text += fmt::format("\n## {}. {}\n", group.id, group.title.in(language));
    for (const Claim& claim : claims.claims) {
      if (group_of(claims, claim) != group.id) continue;
      text += fmt::format("\n### {} {}\n\n> {}\n\n{}\n", claim.id,
                          verdict_word(claim.verdict).in(language), claim.claim.in(language),
                          claim.says.in(language));
      if (!claim.commands.empty()) {
        text += "\n```sh\n";
        for (const Evidence& evidence : claim.commands) {
          text += evidence.command + '\n';
          for (const std::string& line : evidence.contains) text += fmt::format("#   {}\n", line);
        }
        text += "```\n";
      }
      text += files_line(say(language, "Recording:", "录制："), claim.recordings) +
              files_line(say(language, "Sweeps:", "扫描："), claim.summaries);
      if (!claim.test.empty())
        text += fmt::format("\n{} `{}`\n", say(language, "Kept true by the test", "守护它的测试："),
                            claim.test);
      if (!claim.source.empty())
        text += fmt::format("\n{} {}\n", say(language, "Source:", "来源："), claim.source);
    }
  }
  return text;
}

}  // namespace whybits::course
