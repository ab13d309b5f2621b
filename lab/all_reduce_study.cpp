#include "lab/all_reduce_study.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "lab/memory_limit.hpp"
#include "sim/any_order.hpp"
#include "sim/arith.hpp"
#include "sim/expand.hpp"
#include "sim/fast/all_reduce.hpp"

namespace whybits {
namespace {

/// Trees of the schemas of maps, each expanded once.
class Trees {
 public:
  explicit Trees(std::uint64_t ranks) : ranks_(ranks) {}
  const Tree& of(const SchemaPtr& schema) {
    const auto [place, fresh] = made_.try_emplace(schema);
    if (fresh) place->second = expand(*schema, ranks_);
    return place->second;
  }

 private:
  std::uint64_t ranks_;
  std::map<SchemaPtr, Tree> made_;
};

Bits number(std::uint64_t n, const Format& type) {
  const Bits wide = std::bit_cast<Bits>(static_cast<double>(n));
  return convert(formats::f32, type, convert(formats::f64, formats::f32, wide));
}

bool order_undefined(const TopologyMap& map, Trees& trees) {
  return std::ranges::any_of(map.regions, [&](const MapRegion& region) {
    return has_any_order(trees.of(region.topology));
  });
}

/// The nearest numbers to the exact sums.
std::vector<Bits> nearest_sums(const AllReduceRequest& request) {
  const SchemaPtr exact = schema(RoundTo{schema(Fold{exact_unit()}), {request.message.type, {}}});
  return evaluate_map({{{0, request.message.count, exact}}}, request.inputs, request.message.count,
                      request.average);
}

}  // namespace

bool AllReduceStudy::any_differs() const {
  return std::ranges::any_of(pairs, [](const AllReducePair& p) { return p.outputs.differ > 0; });
}

std::vector<Bits> evaluate_map(const TopologyMap& map,
                               const std::vector<std::unique_ptr<CodeSource>>& inputs,
                               std::uint64_t count, Average average) {
  std::vector<const CodeSource*> ranks;
  for (const auto& input : inputs) ranks.push_back(input.get());
  const Format type = ranks[0]->format();
  std::optional<Scalar> scale;
  if (average == Average::pre) {
    const Bits n = number(ranks.size(), formats::f32);
    scale =
        Scalar{type, convert(formats::f32, type, div(formats::f32, number(1, formats::f32), n))};
  }
  const Bits divisor = number(ranks.size(), type);
  std::vector<Bits> codes(count);
  fast::evaluate_all_reduce(
      map, ranks, count, scale, {}, [&](std::uint64_t begin, const fast::CodeMatrix& block) {
        const auto out = std::span<Bits>(codes).subspan(begin, block.columns());
        block.read_codes(0, 0, out);
        if (average == Average::post)
          for (Bits& code : out) code = div(type, code, divisor);
      });
  return codes;
}

std::uint64_t count_differences(std::span<const Bits> a, std::span<const Bits> b) {
  std::uint64_t differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) ++differ;
  return differ;
}

std::uint64_t elements_with_other_topology(const TopologyMap& a, const TopologyMap& b,
                                           std::uint64_t ranks) {
  Trees trees(ranks);
  std::uint64_t differ = 0;
  std::size_t j = 0;
  for (const MapRegion& region : a.regions)
    for (std::uint64_t at = region.begin; at < region.end;) {
      while (b.regions[j].end <= at) ++j;
      const std::uint64_t end = std::min(region.end, b.regions[j].end);
      if (!(trees.of(region.topology) == trees.of(b.regions[j].topology))) differ += end - at;
      at = end;
    }
  return differ;
}

AllReduceStudy study_all_reduce(const AllReduceRequest& request) {
  const std::uint64_t count = request.message.count;
  require_memory("--count", saturating_product(count, (request.plans.size() + 1) * sizeof(Bits)),
                 "choose a smaller message");
  AllReduceStudy study;
  Trees trees(request.message.ranks);
  std::vector<Bits> nearest;
  if (request.with_exact) nearest = nearest_sums(request);
  for (const AllReducePlan& plan : request.plans) {
    AllReduceOutputs outputs;
    outputs.codes = evaluate_map(plan.map, request.inputs, count, request.average);
    outputs.order_undefined = order_undefined(plan.map, trees);
    if (request.with_exact) outputs.not_nearest = count_differences(nearest, outputs.codes);
    study.plans.push_back(std::move(outputs));
  }
  const Format& type = request.message.type;
  for (std::size_t a = 0; a < study.plans.size(); ++a)
    for (std::size_t b = a + 1; b < study.plans.size(); ++b)
      study.pairs.push_back(
          {a, b, compare_outputs(type, study.plans[a].codes, type, study.plans[b].codes),
           elements_with_other_topology(request.plans[a].map, request.plans[b].map,
                                        request.message.ranks)});
  return study;
}

}  // namespace whybits
