// The article's claims with a verdict, evidence, and the test that keeps it true: docs/claims.json.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exercises/lesson.hpp"

namespace whybits::course {

enum class ClaimVerdict : std::uint8_t { confirmed, refined, refuted, not_measured };
std::string_view claim_verdict_name(ClaimVerdict verdict);  ///< "confirmed", …, "not_measured"

struct Claim {
  std::string id;  ///< "B7": group and number
  Bilingual claim;
  ClaimVerdict verdict{};
  Bilingual says;  ///< what was found, with numbers
  std::vector<Evidence> commands;
  std::vector<std::string> recordings;  ///< paths in the source tree
  std::vector<std::string> summaries;   ///< what sweeps on a GPU gave; likewise
  std::string test;    ///< the ctest entry that keeps it true, or a part of its name
  std::string source;  ///< page or paper
};

struct Claims {
  struct Group {
    std::string id;
    Bilingual title;
  };
  std::vector<Group> groups;
  std::vector<Claim> claims;  ///< in the order of the file

  const Claim* find(std::string_view id) const;
};

/// Throws UsageError. Every verdict but not_measured has evidence and a test.
Claims parse_claims(std::string_view text, const std::string& where);

/// What can be run without a GPU: the commands, and a replay of each recording.
std::vector<Evidence> runnable_evidence(const Claim& claim);

/// One line a claim.
std::string claims_text(const Claims& claims, Language language, std::size_t width);
/// Everything about one.
std::string claim_text(const Claim& claim, Language language, std::size_t width);
/// docs/claims.md.
std::string claims_markdown(const Claims& claims, Language language);

}  // namespace whybits::course
