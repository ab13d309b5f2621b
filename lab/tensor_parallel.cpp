#include "lab/tensor_parallel.hpp"

#include <algorithm>
#include <map>

#include "exact/leaf_sums.hpp"
#include "sim/fast/region_plan.hpp"

namespace whybits {
namespace {

std::vector<Reduction> reductions_of(const TopologyMap& map, std::uint64_t k,
                                     const LeafTypes& types) {
  std::map<SchemaPtr, Reduction> made;
  std::vector<Reduction> all;
  for (const MapRegion& region : map.regions) {
    const auto [place, fresh] = made.try_emplace(region.topology);
    if (fresh) place->second = make_reduction(region.topology, k, types);
    all.push_back(place->second);
  }
  return all;
}

std::vector<Bits> evaluate_layer(const TopologyMap& map, std::span<const Reduction> reductions,
                                 const LayerRequest& request, const fast::LaneOperands& lanes,
                                 const ChosenOutputs& all) {
  const fast::RegionPlan plan = fast::compile(map, reductions, request.operands.types());
  const std::uint64_t n = request.operands.shape.n;
  const fast::CodeMatrix out =
      fast::evaluate(plan, lanes, {all.rows, all.columns, n}, request.options);
  std::vector<Bits> codes(all.size());
  for (std::uint64_t row = 0; row < all.rows.size(); ++row)
    out.read_codes(row, 0, std::span<Bits>(codes).subspan(row * n, n));
  return codes;
}

/// Outputs for which the trees of two maps differ.
std::uint64_t other_trees(const TopologyMap& a, std::span<const Reduction> of_a,
                          const TopologyMap& b, std::span<const Reduction> of_b) {
  std::uint64_t differ = 0;
  for (std::size_t i = 0; i < a.regions.size(); ++i)
    for (std::size_t j = 0; j < b.regions.size(); ++j) {
      const std::uint64_t begin = std::max(a.regions[i].begin, b.regions[j].begin);
      const std::uint64_t end = std::min(a.regions[i].end, b.regions[j].end);
      if (begin < end && !(of_a[i].tree == of_b[j].tree)) differ += end - begin;
    }
  return differ;
}

std::vector<std::optional<Dyadic>> exact_outputs(const LayerRequest& request,
                                                 const ChosenOutputs& all) {
  std::vector<std::optional<Dyadic>> exact(all.size());
  for_each_output(request.operands, all, request.options,
                  [&](std::size_t i, std::size_t j, const Leaves& leaves) {
                    exact[i * all.columns.size() + j] = exact::exact_value(leaves, {});
                  });
  return exact;
}

}  // namespace

bool LayerStudy::any_differs() const {
  return first_difference().has_value();
}

std::optional<LayerStudy::Difference> LayerStudy::first_difference() const {
  for (std::size_t p = 1; p < plans.size(); ++p)
    if (!plans[p].against_first.where.empty())
      return Difference{p, plans[p].against_first.where[0]};
  return std::nullopt;
}

LayerStudy study_layer(const LayerRequest& request) {
  const GemmShape& shape = request.operands.shape;
  const std::uint64_t outputs = saturating_product(shape.m, shape.n);
  const std::uint64_t each = request.plans.size() * (sizeof(Bits) + sizeof(std::size_t)) +
                             (request.with_exact ? sizeof(std::optional<Dyadic>) : 0) +
                             2 * sizeof(std::uint64_t);
  require_memory("--m × --n", saturating_product(outputs, each), "use a smaller --m or --n");
  const ChosenOutputs all = ChosenOutputs::all(shape);
  require_memory("--m, --n and --k",
                 saturating_sum(saturating_product(outputs, each),
                                fast::lane_operand_bytes(request.operands, all)),
                 "use a smaller --n or --k");
  const fast::LaneOperands lanes = fast::lane_operands(request.operands, all);
  LayerStudy study;
  study.with_exact = request.with_exact;
  std::vector<std::optional<Dyadic>> exact;
  if (request.with_exact) exact = exact_outputs(request, all);
  std::vector<Reduction> first;
  for (const LayerPlan& plan : request.plans) {
    std::vector<Reduction> reductions = reductions_of(plan.map, shape.k, request.operands.types());
    LayerOutputs made;
    made.format = reductions.empty() ? Format{} : reductions[0].result;
    made.codes = evaluate_layer(plan.map, reductions, request, lanes, all);
    for (std::size_t i = 0; i < exact.size(); ++i)
      if (exact[i]) made.error.add(made.format, made.codes[i], *exact[i]);
    if (study.plans.empty()) {
      first = std::move(reductions);
    } else {
      const LayerOutputs& reference = study.plans[0];
      made.against_first =
          compare_outputs(reference.format, reference.codes, made.format, made.codes);
      made.other_tree = other_trees(request.plans[0].map, first, plan.map, reductions);
    }
    study.plans.push_back(std::move(made));
  }
  return study;
}

std::uint64_t layer_story_bytes(const LayerRequest& request,
                                const LayerStudy::Difference& difference) {
  std::uint64_t bytes = 0;
  for (const std::size_t plan : {std::size_t{0}, difference.plan}) {
    const SchemaPtr& topology = request.plans[plan].map.find(difference.output)->topology;
    const std::uint64_t trace = trace_bytes(expand(*topology, request.operands.shape.k));
    bytes = saturating_sum(bytes, saturating_sum(trace, trace / 2));
  }
  return bytes;
}

OutputStory tell_layer(const LayerRequest& request, const LayerStudy::Difference& difference) {
  const std::uint64_t n = request.operands.shape.n;
  GemmOptions options = request.options;
  options.threads = 1;
  OutputStory story;
  for_each_output(request.operands, {{difference.output / n}, {difference.output % n}}, options,
                  [&](std::size_t, std::size_t, const Leaves& leaves) {
                    const auto topology = [&](std::size_t plan) {
                      return request.plans[plan].map.find(difference.output)->topology;
                    };
                    story = tell_output(request.operands.types(), leaves, topology(0),
                                        topology(difference.plan));
                  });
  return story;
}

}  // namespace whybits
