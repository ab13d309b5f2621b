#include "lab/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "exact/leaf_sums.hpp"
#include "lab/memory_limit.hpp"
#include "lab/text_table.hpp"
#include "sim/arith.hpp"
#include "sim/fast/gemm.hpp"

namespace whybits {
namespace {

std::vector<std::vector<Bits>> one_by_one(const StudyRequest& request,
                                          std::span<const Reduction> reductions) {
  std::vector<std::vector<Bits>> results(reductions.size(), std::vector<Bits>(request.outputs));
  request.for_each([&](std::size_t index, const Leaves& leaves) {
    for (std::size_t r = 0; r < reductions.size(); ++r)
      results[r][index] = evaluate(reductions[r], leaves);
  });
  return results;
}

/// What an output takes at most: codes and an exact sum under each topology, and its place
/// in each list of outputs that differ.
std::uint64_t bytes_per_output(std::uint64_t topologies) {
  const std::uint64_t pairs = topologies * (topologies - 1) / 2;
  return (2 * sizeof(Bits) + 2 * sizeof(Dyadic)) * topologies + 2 * sizeof(std::size_t) * pairs;
}

void check_memory(const StudyRequest& request, std::uint64_t limit) {
  const std::string outputs = counted(request.outputs, "output");
  const std::uint64_t results =
      saturating_product(request.outputs, bytes_per_output(request.topologies.size()));
  require_memory(outputs, results, request.fewer_outputs, limit);
  require_memory(fmt::format("reading {} at a time", counted(request.addends, "addend")),
                 request.reading_bytes, request.fewer_addends, limit);
  require_memory(outputs, saturating_sum(results, request.reading_bytes), request.fewer_outputs,
                 limit);
}

}  // namespace

TopologyOutputs topology_outputs(SplitReduction reduction, std::vector<Bits> before) {
  TopologyOutputs outputs{std::move(reduction), std::move(before), {}, {}, {}};
  outputs.after.resize(outputs.before.size());
  std::transform(outputs.before.begin(), outputs.before.end(), outputs.after.begin(),
                 [&](Bits code) { return outputs.reduction.round(code); });
  return outputs;
}

void measure_errors(TopologyOutputs& outputs, const std::vector<std::optional<Dyadic>>& exact) {
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (!exact[i]) continue;
    outputs.error_before.add(outputs.reduction.before.result, outputs.before[i], *exact[i]);
    outputs.error_after.add(outputs.reduction.output, outputs.after[i], *exact[i]);
  }
}

Bits SplitReduction::round(Bits code) const {
  return last ? convert(before.result, last->to, code, last->rule) : code;
}

SplitReduction split_last_rounding(const SchemaPtr& schema, std::uint64_t n,
                                   const LeafTypes& types) {
  const Reduction whole = make_reduction(schema, n, types);  // checks the rounding as well
  if (const auto* round = std::get_if<RoundTo>(&schema->form);
      round && result_format(*round->inner))
    return {make_reduction(round->inner, n, types), round->conversion, whole.result};
  return {whole, std::nullopt, whole.result};
}

OutputComparison compare_outputs(const Format& fa, const std::vector<Bits>& a, const Format& fb,
                                 const std::vector<Bits>& b) {
  OutputComparison result;
  result.same_format = fa == fb;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (same_value(fa, a[i], fb, b[i])) continue;
    ++result.differ;
    result.where.push_back(i);
    if (result.same_format) result.ulp.add(exact::ulp_distance(fa, a[i], b[i]));
  }
  return result;
}

StudyRequest gemm_request(const GemmOperands& operands, const ChosenOutputs& chosen,
                          const GemmOptions& options, std::vector<SchemaPtr> topologies) {
  StudyRequest request;
  request.types = operands.types();
  request.addends = operands.shape.k;
  request.outputs = chosen.size();
  request.reading_bytes = std::max(gemm_working_bytes(operands.shape.k, chosen.rows.size(),
                                                      chosen.columns.size(), options.threads),
                                   fast::evaluate_gemm_bytes(operands, chosen, options.threads));
  request.fewer_addends = "use a smaller --k or fewer --threads";
  request.fewer_outputs = "choose fewer outputs with --rows and --columns";
  request.topologies = std::move(topologies);
  request.evaluate = [&operands, chosen, options](std::span<const Reduction> reductions) {
    return fast::evaluate_gemm(reductions, operands, chosen, options);
  };
  request.for_each = [&operands, chosen, options](const auto& visit) {
    const std::size_t columns = chosen.columns.size();
    for_each_output(operands, chosen, options,
                    [&](std::size_t i, std::size_t j, const Leaves& leaves) {
                      visit(i * columns + j, leaves);
                    });
  };
  return request;
}

StudyRequest sum_request(const CodeSource& values, std::uint64_t rows, std::uint64_t n,
                         std::vector<SchemaPtr> topologies) {
  StudyRequest request;
  request.types.a = values.format();
  request.addends = n;
  request.outputs = rows;
  request.reading_bytes = std::max(saturating_product(n, sizeof(Bits) + sizeof(Unpacked)),
                                   fast::evaluate_rows_bytes(values, rows, n, 0));
  request.fewer_addends = "use a smaller --n";
  request.fewer_outputs = "use fewer --rows";
  request.topologies = std::move(topologies);
  request.evaluate = [&values, rows, n](std::span<const Reduction> reductions) {
    return fast::evaluate_rows(reductions, values, rows, n);
  };
  request.for_each = [&values, rows, n](const auto& visit) {
    for (std::uint64_t row = 0; row < rows; ++row) {
      std::vector<Bits> codes(n);
      if (n > 0) values.read(row * n, 1, codes);
      const OperandVector addends(values.format(), std::move(codes));
      Leaves leaves;
      leaves.a = &addends;
      visit(row, leaves);
    }
  };
  return request;
}

bool Study::any_output_differs() const {
  return std::any_of(pairs.begin(), pairs.end(),
                     [](const PairComparison& pair) { return pair.after.differ > 0; });
}

std::optional<std::size_t> first_difference(const PairComparison& pair) {
  for (const OutputComparison* c : {&pair.after, &pair.before})
    if (!c->where.empty()) return c->where[0];
  return std::nullopt;
}

std::string topology_letter(std::size_t index) {
  return std::string(1, static_cast<char>('A' + index));
}

PairComparison compare_pair(const std::vector<TopologyOutputs>& topologies, std::size_t a,
                            std::size_t b) {
  const TopologyOutputs& x = topologies[a];
  const TopologyOutputs& y = topologies[b];
  const SplitReduction& rx = x.reduction;
  const SplitReduction& ry = y.reduction;
  return {a, b, compare_outputs(rx.before.result, x.before, ry.before.result, y.before),
          compare_outputs(rx.output, x.after, ry.output, y.after),
          rx.before.tree == ry.before.tree && rx.last == ry.last};
}

Study run_study(const StudyRequest& request, std::uint64_t limit) {
  check_memory(request, limit);
  std::vector<Reduction> reductions;
  std::vector<SplitReduction> split;
  for (const SchemaPtr& topology : request.topologies) {
    split.push_back(split_last_rounding(topology, request.addends, request.types));
    reductions.push_back(split.back().before);
  }
  // Exact sums by how often the named operands are added: one list, unless topologies differ there.
  std::map<exact::OperandUses, std::vector<std::optional<Dyadic>>> exact;
  if (request.with_exact)
    for (const Reduction& reduction : reductions)
      exact[exact::operand_uses(reduction.tree)].resize(request.outputs);
  std::vector<std::vector<Bits>> results =
      request.evaluate ? request.evaluate(reductions) : one_by_one(request, reductions);
  if (request.with_exact)
    request.for_each([&](std::size_t index, const Leaves& leaves) {
      for (auto& [uses, sums] : exact) sums[index] = exact::exact_value(leaves, uses);
    });
  Study study;
  study.with_exact = request.with_exact;
  for (std::size_t i = 0; i < split.size(); ++i) {
    study.topologies.push_back(topology_outputs(std::move(split[i]), std::move(results[i])));
    if (request.with_exact)
      measure_errors(study.topologies[i], exact.at(exact::operand_uses(reductions[i].tree)));
  }
  for (std::size_t a = 0; a < study.topologies.size(); ++a)
    for (std::size_t b = a + 1; b < study.topologies.size(); ++b)
      study.pairs.push_back(compare_pair(study.topologies, a, b));
  return study;
}

std::uint64_t story_bytes(const Study& study, const PairComparison& pair) {
  // A trace, and about half as much again to compare it with the other.
  std::uint64_t bytes = 0;
  for (const std::size_t topology : {pair.a, pair.b}) {
    const std::uint64_t trace = trace_bytes(study.topologies[topology].reduction.before.tree);
    bytes = saturating_sum(bytes, saturating_sum(trace, trace / 2));
  }
  return bytes;
}

OutputStory tell_output(const LeafTypes& types, const Leaves& leaves, const SchemaPtr& a,
                        const SchemaPtr& b) {
  const std::uint64_t n = leaves.size();
  OutputStory story;
  story.reduction_a = split_last_rounding(a, n, types);
  story.reduction_b = split_last_rounding(b, n, types);
  const SplitReduction& x = story.reduction_a;
  const SplitReduction& y = story.reduction_b;
  story.before_a = evaluate(x.before, leaves);
  story.before_b = evaluate(y.before, leaves);
  story.after_a = x.round(story.before_a);
  story.after_b = y.round(story.before_b);
  story.healed = same_value(x.output, story.after_a, y.output, story.after_b) &&
                 !same_value(x.before.result, story.before_a, y.before.result, story.before_b);
  const Reduction traced_a = story.healed ? x.before : make_reduction(a, n, types);
  const Reduction traced_b = story.healed ? y.before : make_reduction(b, n, types);
  story.a = trace(traced_a, leaves);
  story.b = trace(traced_b, leaves);
  story.divergence = diverge(story.a, story.b);
  const exact::OperandUses uses = exact::operand_uses(traced_a.tree);
  if (uses == exact::operand_uses(traced_b.tree)) story.exact = exact::exact_value(leaves, uses);
  story.error_a = output_error(traced_a, story.a, leaves);
  story.error_b = output_error(traced_b, story.b, leaves);
  return story;
}

void end_before_last_rounding(OutputStory& story) {
  const auto drop = [](Trace& trace, const SplitReduction& reduction) {
    if (!reduction.last || trace.nodes.empty()) return false;
    const TraceNode& root = trace.nodes.back();
    // A rounding that changes nothing is no step.
    if (!root.is_rounding || root.conversion != *reduction.last ||
        trace.tree == reduction.before.tree)
      return false;
    const Origin below = root.inputs.empty() ? origin_none : root.inputs[0];
    trace.nodes.pop_back();
    // The tree stays: the steps that are left point to its units.
    trace.format = reduction.before.result;
    if (below >= 0) trace.nodes[static_cast<std::size_t>(below)].parent = -1;
    return true;
  };
  const bool a = drop(story.a, story.reduction_a);
  const bool b = drop(story.b, story.reduction_b);
  if (!a && !b) return;
  const auto close = [](Trace& trace, Bits result) {
    trace.result = result;
    trace.finite = unpack(trace.format, result).finite() &&
                   std::all_of(trace.nodes.begin(), trace.nodes.end(),
                               [](const TraceNode& node) { return node.finite; });
  };
  if (a) close(story.a, story.before_a);
  if (b) close(story.b, story.before_b);
  story.divergence = diverge(story.a, story.b);
}

}  // namespace whybits
