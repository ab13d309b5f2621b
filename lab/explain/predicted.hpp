// Chosen outputs under hypotheses, as codes of the observed format.
#pragma once

#include <span>
#include <vector>

#include "lab/explain/explain.hpp"

namespace whybits {

/// For each hypothesis the codes of the chosen outputs.
std::vector<std::vector<Bits>> predicted_outputs(const Observed& observed,
                                                 const ChosenOutputs& chosen,
                                                 std::span<const Hypothesis* const> hypotheses,
                                                 const GemmOptions& options);

/// The operands as this hypothesis has them enter.
class EnteringOperands {
 public:
  EnteringOperands(const GemmOperands& operands, const std::optional<Conversion>& rounding);
  const GemmOperands& view() const { return view_; }

 private:
  std::shared_ptr<const CodeSource> a_, b_;
  GemmOperands view_;
};

}  // namespace whybits
