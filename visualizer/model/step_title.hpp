// What a step adds, as phrases: "sm90.wgmma.bf16: leaves 3,584…3,599 onto the sum of leaves
// 0…3,583", and shorter where that has no room. The command line says the same in English
// (step_text in lab/story.hpp).
#pragma once

#include <span>

#include "sim/trace.hpp"
#include "visualizer/model/phrase.hpp"

namespace whybits::viz {

/// "leaves 0…3,583", "leaf 7", "6 leaves (0…1, 8…9, 16…17)", of large sets "9,000 of the leaves
/// 0…17,999". `below`: what the leaves were taken from.
Phrase leaves_phrase(const LeafSet& leaves, const Trace& trace, std::span<const Origin> below);

/// Ever shorter.
struct StepTitle {
  Phrase full, brief, least;
};
/// Precondition: a step of the trace.
StepTitle step_title(const Trace& trace, std::int64_t step);

}  // namespace whybits::viz
