// One step as rows of bits, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "lab/step_view.hpp"
#include "lab/study.hpp"

namespace whybits {

/// Which step of an explained output is taken apart: of A or of B, by its number in the trace.
struct StepWish {
  bool of_b = false;
  std::uint64_t number = 0;
};

/// "B,224" of the option --step; none if it is empty. `alone`: there is nothing to compare with.
/// Errors: UsageError.
std::optional<StepWish> step_wish(const std::string& text, bool alone);
/// Errors: UsageError if the trace has no such step, or a value in it is not finite.
StepView wished_step(const OutputStory& story, const StepWish& wish, const Leaves& leaves);

std::string step_view_text(const StepView& view, const StepWish& wish);
nlohmann::ordered_json step_view_json(const StepView& view, const StepWish& wish);

}  // namespace whybits
