#include "lab/router_study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exact/distance.hpp"
#include "exact/measure.hpp"
#include "lab/code_text.hpp"
#include "lab/text_table.hpp"
#include "lab/usage_error.hpp"
#include "sim/fast/gemm.hpp"
#include "sim/libraries/moe/combine.hpp"

namespace whybits {
namespace {

constexpr std::size_t flips_kept = 8;

std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> list) {
  std::ranges::sort(list);
  return list;
}

void count_token(RouterStudy& study, std::uint64_t token, std::span<const Bits> a,
                 std::span<const Bits> b, std::uint64_t k) {
  const Format& format = study.format;
  const std::uint64_t more = std::min<std::uint64_t>(k + 1, a.size());
  std::vector<std::uint32_t> of_a = top_experts(format, a, more);
  const std::vector<std::uint32_t> of_b = top_experts(format, b, k);
  if (more > k) {
    const auto gap = exact::ulp_distance(format, a[of_a[k - 1]], a[of_a[k]]);
    if (gap == 0) ++study.ties;
    if (gap && *gap <= 1) ++study.near_ties;
  }
  of_a.resize(k);
  if (of_a == of_b) return;
  ++study.orders_differ;
  if (sorted(of_a) == sorted(of_b)) return;
  ++study.sets_differ;
  if (study.flips.size() == flips_kept) return;
  const auto place = static_cast<std::size_t>(std::ranges::mismatch(of_a, of_b).in1 - of_a.begin());
  study.flips.push_back({token, place, of_a[place], of_b[place], a[of_a[place]], a[of_b[place]]});
}

}  // namespace

RouterStudy run_router_study(const RouterRequest& request) {
  if (request.k == 0 || request.k > request.experts)
    throw UsageError(
        fmt::format("--k {}: a token gets 1 to {} experts", request.k, request.experts),
        "as in --k 8 --experts 128");
  GemmOperands operands;
  operands.shape = {request.tokens, request.experts, request.hidden};
  operands.a = request.x.get();
  operands.b = request.w.get();
  std::vector<Reduction> reductions;
  for (const SchemaPtr& topology : {request.a, request.b})
    reductions.push_back(make_reduction(topology, request.hidden, operands.types()));
  if (reductions[0].result != reductions[1].result)
    throw UsageError("--topology and --vs end in different formats, whose logits do not compare",
                     "end both with the same rounding, as in > bf16");
  const auto logits = fast::evaluate_gemm(reductions, operands, ChosenOutputs::all(operands.shape));
  RouterStudy study;
  study.format = reductions[0].result;
  study.logits = logits[0].size();
  for (std::size_t i = 0; i < logits[0].size(); ++i)
    if (logits[0][i] != logits[1][i]) ++study.logits_differ;
  for (std::uint64_t token = 0; token < request.tokens; ++token) {
    const std::size_t first = token * request.experts;
    count_token(study, token, std::span(logits[0]).subspan(first, request.experts),
                std::span(logits[1]).subspan(first, request.experts), request.k);
  }
  return study;
}

std::string router_text(const RouterRequest& request, const RouterStudy& study) {
  using enum TextTable::Align;
  TextTable counts({}, {left, right});
  const auto tokens = [&](std::uint64_t count) {
    return fmt::format("{} of {}", grouped(count), grouped(request.tokens));
  };
  counts.row({"logits that differ",
              fmt::format("{} of {}", grouped(study.logits_differ), grouped(study.logits))});
  counts.row({"tokens whose last and next logit are equal (A)", tokens(study.ties)});
  counts.row({"… equal or neighbours", tokens(study.near_ties)});
  counts.row({"tokens that get their experts in another order", tokens(study.orders_differ)});
  counts.row({"tokens that get other experts", tokens(study.sets_differ)});
  std::string out = counts.text(2);
  if (study.flips.empty()) return out;
  TextTable flips({"token", "place", "expert A", "its logit", "expert B", "its logit in A"},
                  {right, right, right, left, right, left});
  for (const RouterFlip& flip : study.flips)
    flips.row({grouped(flip.token), std::to_string(flip.place + 1), std::to_string(flip.expert_a),
               hex_code(study.format, flip.logit_a), std::to_string(flip.expert_b),
               hex_code(study.format, flip.logit_b)});
  return out + "\n" + flips.text(2);
}

nlohmann::ordered_json router_json(const RouterStudy& study) {
  nlohmann::ordered_json out{{"logits", study.logits},
                             {"logits_differ", study.logits_differ},
                             {"ties", study.ties},
                             {"near_ties", study.near_ties},
                             {"orders_differ", study.orders_differ},
                             {"sets_differ", study.sets_differ},
                             {"flips", nlohmann::ordered_json::array()}};
  for (const RouterFlip& flip : study.flips)
    out["flips"].push_back({{"token", flip.token},
                            {"place", flip.place},
                            {"expert_a", flip.expert_a},
                            {"expert_b", flip.expert_b},
                            {"logit_a", hex_code(study.format, flip.logit_a)},
                            {"logit_b", hex_code(study.format, flip.logit_b)}});
  return out;
}

}  // namespace whybits
