#include "visualizer/model/reason_text.hpp"

#include "lab/explain_rounding.hpp"
#include "visualizer/text/text.hpp"

namespace whybits::viz {

std::string reason_text(const OperationView& view) {
  std::string out;
  for (RoundingReason& reason : rounding_reasons(view)) {
    if (reason.rounding)
      reason.values.push_back(
          text("rounding.phrase." + std::string(rounding_name(*reason.rounding))));
    const std::string sentence = text_with("reason." + std::string(reason.key), reason.values);
    out = out.empty() ? sentence : text("reason.join", out, sentence);
  }
  return out;
}

}  // namespace whybits::viz
