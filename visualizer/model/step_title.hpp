// What a step adds, as phrases: "sm90.wgmma.bf16: leaves 3,584…3,599 onto the sum of leaves
// 0…3,583", and shorter where that has no room. The command line says the same in English
// (step_text in lab/story.hpp).
#pragma once

#include "sim/trace.hpp"
#include "visualizer/model/phrase.hpp"

namespace whybits::viz {

/// "leaves 0…3,583", "leaf 7", "512 leaves within 0…4,095".
Phrase leaves_phrase(const LeafSet& leaves);

struct StepTitle {
  Phrase full, brief;
};
/// Precondition: a step of the trace.
StepTitle step_title(const Trace& trace, std::int64_t step);

}  // namespace whybits::viz
