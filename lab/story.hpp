// What happened to one output, in words: codes field by field, where two topologies part, and
// which steps discarded what. Sentences come from divergence and ledger, never from a list.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "lab/study.hpp"

namespace whybits {

/// "leaves 0…3583", "leaf 7", "6 leaves (0…1, 8…9, 16…17)", of large sets "9000 of the leaves
/// 0…17999", "c or an operand alone". `below`: what the leaves were taken from.
std::string leaves_text(const LeafSet& leaves, const Trace& trace, std::span<const Origin> below);
/// "sm90.wgmma.bf16: leaves 3584…3599 onto the sum of leaves 0…3583".
std::string step_text(const Trace& trace, std::int64_t node);

/// The story for people; `title` names the output.
std::string story_text(const OutputStory& story, const std::string& title);
nlohmann::ordered_json story_json(const OutputStory& story);

/// Of which output a report tells, if of any, and what the traces would take.
struct StoryPlan {
  static constexpr std::uint64_t limit = std::uint64_t{1} << 30;  ///< bytes

  std::string title;  ///< "Output [0,55]"; empty: of none
  std::uint64_t bytes = 0;
  bool affordable() const { return bytes <= limit; }
};
StoryPlan plan_story(const Study& study, const std::string& title);
/// Why a story that is not affordable is not told.
std::string why_omitted(const StoryPlan& plan);
/// Nothing, the story, or why it is not told.
std::string planned_story_text(const StoryPlan& plan, const std::optional<OutputStory>& story);
/// Adds the member "output", and "output_omitted" with the reason where it is not told.
void add_story_json(nlohmann::ordered_json& out, const StoryPlan& plan,
                    const std::optional<OutputStory>& story);

}  // namespace whybits
