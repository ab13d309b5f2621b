#include "lab/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "exact/error_bound.hpp"
#include "exact/leaf_sums.hpp"
#include "lab/explain/predicted.hpp"
#include "lab/explain/sort_stably.hpp"
#include "lab/memory_limit.hpp"
#include "lab/usage_error.hpp"
#include "sim/arith.hpp"

namespace whybits {
namespace {

constexpr std::size_t first_sample = 32, second_sample = 256, third_sample = 2048;
constexpr std::size_t most_runners = 8;  ///< orders with wrong outputs that stay in the search

/// A part of the observed outputs: a product of rows and columns, so that operands are read once.
struct Sample {
  ChosenOutputs chosen;
  std::vector<std::size_t> index;  ///< among the observed outputs
};

Sample part_of(const Observed& observed, const std::vector<std::size_t>& rows,
               const std::vector<std::size_t>& columns) {
  Sample sample;
  for (const std::size_t i : rows) sample.chosen.rows.push_back(observed.chosen.rows[i]);
  for (const std::size_t j : columns) sample.chosen.columns.push_back(observed.chosen.columns[j]);
  for (const std::size_t i : rows)
    for (const std::size_t j : columns)
      sample.index.push_back(i * observed.chosen.columns.size() + j);
  return sample;
}

/// How far a sum is from the middle between two numbers of the output's format, in half units of
/// its last place: there orders show.
double distance_from_tie(const Format& from, Bits sum, const Format& out) {
  if (!unpack(from, sum).finite()) return 1;
  RoundRule down;
  down.rounding = Rounding::zero;
  const Bits lower = convert(from, out, sum, down);
  if (!unpack(out, lower).finite() || !unpack(out, lower + 1).finite()) return 1;
  const double low = Dyadic::from_code(out, lower).to_double();
  const double high = Dyadic::from_code(out, lower + 1).to_double();
  const double middle = (low + high) / 2;
  return std::abs(Dyadic::from_code(from, sum).to_double() - middle) / (std::abs(high - low) / 2);
}

/// Columns of the first row in the order in which they tell orders apart: where a plain chain lies
/// nearest a tie of the output's rounding. Any order if the output is not rounded.
std::vector<std::size_t> telling_columns(const Observed& observed, const GemmOptions& options) {
  std::vector<std::size_t> order(observed.chosen.columns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const Format accumulator = formats::f32;
  if (widens_exactly(accumulator, observed.out)) return order;
  Observed unrounded = observed;
  unrounded.out = accumulator;
  unrounded.operands.bias = nullptr;
  const Hypothesis chain{"", schema(Fold{ieee_fma(accumulator)}), {}};
  const Hypothesis* const one[] = {&chain};
  const ChosenOutputs row{{observed.chosen.rows[0]}, observed.chosen.columns};
  const std::vector<Bits> sums = predicted_outputs(unrounded, row, one, options)[0];
  std::vector<double> distance(sums.size());
  for (std::size_t j = 0; j < sums.size(); ++j)
    distance[j] = distance_from_tie(accumulator, sums[j], observed.out);
  sort_stably(order, [&](std::size_t j) { return distance[j]; });
  return order;
}

/// About `size` outputs of the most telling columns, of as many rows as it takes.
Sample sample_of(const Observed& observed, const std::vector<std::size_t>& columns,
                 std::size_t size) {
  const std::size_t rows = observed.chosen.rows.size();
  const std::size_t wide = std::min(columns.size(), size);
  const std::size_t high = std::clamp<std::size_t>(size / wide, 1, rows);
  std::vector<std::size_t> row_index(high);
  for (std::size_t i = 0; i < high; ++i) row_index[i] = i * rows / high;
  std::vector<std::size_t> chosen(columns.begin(),
                                  columns.begin() + static_cast<std::ptrdiff_t>(wide));
  std::ranges::sort(chosen);
  return part_of(observed, row_index, chosen);
}

std::vector<Candidate> count_wrong(const Observed& observed, const Sample& sample,
                                   const std::vector<Candidate>& candidates,
                                   const GemmOptions& options) {
  std::vector<const Hypothesis*> hypotheses;
  for (const Candidate& c : candidates) hypotheses.push_back(&c.hypothesis);
  const auto predicted = predicted_outputs(observed, sample.chosen, hypotheses, options);
  std::vector<Candidate> counted = candidates;
  for (std::size_t c = 0; c < counted.size(); ++c) {
    counted[c].wrong = 0;
    for (std::size_t i = 0; i < sample.index.size(); ++i)
      if (predicted[c][i] != observed.codes[sample.index[i]]) ++counted[c].wrong;
  }
  sort_stably(counted, [](const Candidate& c) { return c.wrong; });
  return counted;
}

/// Those with no wrong output, and the best of the others.
void keep_best(std::vector<Candidate>& counted) {
  const auto wrong = std::ranges::find_if(counted, [](const Candidate& c) { return c.wrong > 0; });
  const auto stay = std::min<std::ptrdiff_t>(counted.end() - wrong, most_runners);
  counted.erase(wrong + stay, counted.end());
}

/// All observed outputs under the orders that survive ever larger samples.
std::vector<Candidate> search(const Observed& observed, std::vector<Hypothesis> hypotheses,
                              const std::vector<std::size_t>& columns, const GemmOptions& options) {
  std::vector<Candidate> candidates;
  candidates.reserve(hypotheses.size());
  for (Hypothesis& h : hypotheses) candidates.push_back({std::move(h), 0});
  const std::size_t all = observed.codes.size();
  for (const std::size_t size : {first_sample, second_sample, third_sample, all}) {
    if (candidates.empty()) break;
    candidates = count_wrong(observed, sample_of(observed, columns, std::min(size, all)),
                             candidates, options);
    keep_best(candidates);
    if (size >= all) break;
  }
  return candidates;
}

/// Any order of fma chains cut toward zero errs at most as much as the deepest of them.
OrderBound bound_of_any_order(const Observed& observed, const std::optional<Candidate>& nearest,
                              const std::vector<std::size_t>& columns_by_order,
                              const GemmOptions& options) {
  const Sample sample = sample_of(observed, columns_by_order, first_sample);
  const Format accumulator =
      observed.operands.a->format() == formats::f64 ? formats::f64 : formats::f32;
  RoundRule toward_zero;
  toward_zero.rounding = Rounding::zero;
  SchemaPtr worst = schema(Fold{ieee_fma(accumulator, toward_zero)});
  if (!widens_exactly(accumulator, observed.out))
    worst = schema(RoundTo{std::move(worst), Conversion{observed.out, {}}});
  const LeafTypes types = observed.operands.types();
  const Reduction reduction = make_reduction(worst, observed.operands.shape.k, types);
  const exact::TreeBound bound(reduction.tree, types);
  const exact::OperandUses uses = exact::operand_uses(reduction.tree);
  std::vector<Bits> known;
  if (nearest) {
    const Hypothesis* const one[] = {&nearest->hypothesis};
    known = predicted_outputs(observed, sample.chosen, one, options)[0];
  }
  OrderBound result;
  result.accumulator = accumulator;
  std::mutex guard;
  const std::size_t columns = sample.chosen.columns.size();
  for_each_output(observed.operands, sample.chosen, options,
                  [&](std::size_t i, std::size_t j, const Leaves& leaves) {
                    const auto exact = exact::exact_value(leaves, uses);
                    if (!exact) return;
                    const auto limit = bound.of(leaves, *exact);
                    if (!limit || limit->is_zero()) return;
                    const auto ratio = [&](Bits code) {
                      if (!unpack(observed.out, code).finite()) return 0.0;
                      const Dyadic error = (Dyadic::from_code(observed.out, code) - *exact).abs();
                      return error.to_double() / limit->to_double();
                    };
                    const std::size_t at = i * columns + j;
                    const Bits seen = observed.codes[sample.index[at]];
                    const bool beyond =
                        !unpack(observed.out, seen).finite() ||
                        (Dyadic::from_code(observed.out, seen) - *exact).abs() > *limit;
                    const std::lock_guard lock(guard);
                    ++result.looked_at;
                    if (beyond) ++result.beyond;
                    result.largest = std::max(result.largest, ratio(seen));
                    if (!known.empty())
                      result.largest_of_known = std::max(result.largest_of_known, ratio(known[at]));
                  });
  return result;
}

}  // namespace

Explanation explain(const Observed& observed, const ExplainOptions& options) {
  if (observed.codes.empty())
    throw UsageError("there are no outputs to explain", "give at least one row and column");
  const GemmOperands& operands = observed.operands;
  const HypothesisRequest request{operands.shape.k, operands.a->format(),     operands.b->format(),
                                  observed.out,     operands.bias != nullptr, options.architecture};
  require_memory("the outputs", saturating_product(observed.codes.size(), 4 * sizeof(Bits)),
                 "choose fewer with --rows and --columns");
  std::vector<Hypothesis> hypotheses = known_orders(request);
  const std::vector<std::size_t> columns = telling_columns(observed, options.gemm);
  Explanation result;
  result.compared = observed.codes.size();
  result.tried = hypotheses.size();
  std::vector<Candidate> found = search(observed, std::move(hypotheses), columns, options.gemm);
  if (found.empty() || found[0].wrong > 0) {
    std::vector<Hypothesis> shortened = orders_without_tail(request);
    result.tried += shortened.size();
    std::vector<Candidate> more = search(observed, std::move(shortened), columns, options.gemm);
    found.insert(found.end(), more.begin(), more.end());
    sort_stably(found, [](const Candidate& c) { return c.wrong; });
  }
  for (Candidate& candidate : found) {
    if (candidate.wrong == 0)
      result.exact.push_back(std::move(candidate));
    else if (!result.nearest)
      result.nearest = std::move(candidate);
  }
  if (result.explained()) return result;
  if (result.nearest) {
    const Hypothesis* const one[] = {&result.nearest->hypothesis};
    const auto predicted = predicted_outputs(observed, observed.chosen, one, options.gemm);
    result.damage = find_damage(observed, *one[0], predicted[0], options.gemm);
  }
  result.bound = bound_of_any_order(observed, result.nearest, columns, options.gemm);
  return result;
}

}  // namespace whybits
