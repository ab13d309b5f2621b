#include "lab/explain/predicted.hpp"

#include <algorithm>

#include "lab/rounded_source.hpp"
#include "sim/arith.hpp"
#include "sim/fast/gemm.hpp"

namespace whybits {

EnteringOperands::EnteringOperands(const GemmOperands& operands,
                                   const std::optional<Conversion>& rounding)
    : view_(operands) {
  if (!rounding) return;
  a_ = std::make_shared<RoundedSource>(borrowed(*operands.a), *rounding);
  b_ = std::make_shared<RoundedSource>(borrowed(*operands.b), *rounding);
  view_.a = a_.get();
  view_.b = b_.get();
}

std::vector<std::vector<Bits>> predicted_outputs(const Observed& observed,
                                                 const ChosenOutputs& chosen,
                                                 std::span<const Hypothesis* const> hypotheses,
                                                 const GemmOptions& options) {
  std::vector<std::vector<Bits>> results(hypotheses.size());
  for (const bool rounds : {false, true}) {
    std::vector<std::size_t> group;
    for (std::size_t i = 0; i < hypotheses.size(); ++i)
      if (hypotheses[i]->operands.has_value() == rounds) group.push_back(i);
    if (group.empty()) continue;
    const EnteringOperands entering(observed.operands, hypotheses[group[0]]->operands);
    std::vector<Reduction> reductions;
    for (const std::size_t i : group)
      reductions.push_back(make_reduction(hypotheses[i]->topology, observed.operands.shape.k,
                                          entering.view().types()));
    auto codes = fast::evaluate_gemm(reductions, entering.view(), chosen, options);
    for (std::size_t g = 0; g < group.size(); ++g) {
      const Format& from = reductions[g].result;
      if (!(from == observed.out))
        std::ranges::transform(codes[g], codes[g].begin(),
                               [&](Bits code) { return convert(from, observed.out, code); });
      results[group[g]] = std::move(codes[g]);
    }
  }
  return results;
}

}  // namespace whybits
