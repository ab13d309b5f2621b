// What happened to one output, in words: codes field by field, where two topologies part, and
// which steps discarded what. Sentences come from divergence and ledger, never from a list.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "lab/study.hpp"

namespace whybits {

/// "leaves 0 … 3583", "leaf 7", "512 leaves between 0 and 4095", "no leaves (c alone)".
std::string leaves_text(const LeafSet& leaves);
/// "sm90.wgmma.bf16, leaves 3584 … 3599 onto the sum of leaves 0 … 3583".
std::string step_text(const Trace& trace, std::int64_t node);

/// The story for people; `title` names the output.
std::string story_text(const OutputStory& story, const std::string& title);
nlohmann::json story_json(const OutputStory& story);

}  // namespace whybits
