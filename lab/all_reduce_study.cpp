#include "lab/all_reduce_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>

#include "lab/usage_error.hpp"
#include "sim/any_order.hpp"
#include "sim/arith.hpp"
#include "sim/ceil_div.hpp"
#include "sim/expand.hpp"
#include "sim/fast/all_reduce.hpp"
#include "sim/share_work.hpp"

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

using Inputs = std::vector<std::unique_ptr<CodeSource>>;
/// Called for blocks of elements, ascending, with the codes of every map.
using VisitBlock = std::function<void(std::uint64_t, const std::vector<std::vector<Bits>>&)>;

/// Max or min of elements [begin, end), by the reference evaluator.
std::vector<Bits> select_block(const TopologyMap& map, const Inputs& inputs, ReduceOp op,
                               Trees& trees, std::uint64_t begin, std::uint64_t end) {
  const Format type = inputs[0]->format();
  std::vector<std::vector<Bits>> rows(inputs.size(), std::vector<Bits>(end - begin));
  share_work(rows.size(), thread_count(0),
             [&](std::uint64_t r) { inputs[r]->read(begin, 1, rows[r]); });
  std::vector<Bits> codes(end - begin);
  for (const MapRegion& region : map.regions) {
    const std::uint64_t from = std::max(region.begin, begin), to = std::min(region.end, end);
    if (from >= to) continue;
    const Reduction reduction{region.topology, trees.of(region.topology),
                              *result_format(*region.topology)};
    constexpr std::uint64_t piece = 1024;  // elements that a thread takes at a time
    share_work(ceil_div(to - from, piece), thread_count(0), [&](std::uint64_t p) {
      const std::uint64_t last = std::min(from + (p + 1) * piece, to);
      for (std::uint64_t i = from + p * piece; i < last; ++i) {
        std::vector<Bits> values(rows.size());
        for (std::size_t r = 0; r < rows.size(); ++r) values[r] = rows[r][i - begin];
        const OperandVector vector(type, std::move(values));
        Leaves leaves;
        leaves.a = &vector;
        codes[i - begin] = evaluate(reduction, leaves, op);
      }
    });
  }
  return codes;
}

void select_blocks(std::span<const TopologyMap> maps, const Inputs& inputs, std::uint64_t count,
                   ReduceOp op, const VisitBlock& visit) {
  constexpr std::uint64_t held = std::uint64_t{1} << 24;  // codes of inputs at once
  const std::uint64_t block = std::max<std::uint64_t>(held / inputs.size(), 1);
  Trees trees(inputs.size());
  for (const TopologyMap& map : maps)
    for (const MapRegion& region : map.regions)  // checks it
      make_reduction(region.topology, inputs.size(), {.a = inputs[0]->format()});
  for (std::uint64_t begin = 0; begin < count; begin += block) {
    std::vector<std::vector<Bits>> codes;
    for (const TopologyMap& map : maps)
      codes.push_back(select_block(map, inputs, op, trees, begin, std::min(begin + block, count)));
    visit(begin, codes);
  }
}

void for_each_block(std::span<const TopologyMap> maps, const Inputs& inputs, std::uint64_t count,
                    Average average, ReduceOp op, const VisitBlock& visit) {
  if (op != ReduceOp::sum) return select_blocks(maps, inputs, count, op, visit);
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
  std::vector<std::vector<Bits>> codes(maps.size());
  fast::evaluate_all_reduces(maps, ranks, count, scale, {},
                             [&](std::uint64_t begin, std::span<const fast::CodeMatrix> blocks) {
                               for (std::size_t m = 0; m < blocks.size(); ++m) {
                                 codes[m].resize(blocks[m].columns());
                                 blocks[m].read_codes(0, 0, codes[m]);
                                 if (average == Average::post)
                                   for (Bits& code : codes[m]) code = div(type, code, divisor);
                               }
                               visit(begin, codes);
                             });
}

/// The nearest numbers to the exact sums.
TopologyMap nearest_map(const AllReduceMessage& message) {
  if (message.count == 0) return {};
  return {{{0, message.count, schema(RoundTo{schema(Fold{exact_unit()}), {message.type, {}}})}}};
}

void count_pair(AllReducePair& pair, const Format& type, std::uint64_t begin,
                std::span<const Bits> a, std::span<const Bits> b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    ++pair.differ;
    pair.ulp.add(exact::ulp_distance(type, a[i], b[i]));
    if (!pair.first) pair.first = {begin + i, a[i], b[i]};
  }
}

/// Every plan gives codes of the message's type.
void require_type(const AllReducePlan& plan, const Format& type) {
  for (const MapRegion& region : plan.map.regions)
    if (const auto result = result_format(*region.topology); result && !(*result == type))
      throw UsageError(fmt::format("{}: its result is {}, the message is {}", plan.spec,
                                   format_name(*result), format_name(type)),
                       "end it with > " + format_name(type));
}

}  // namespace

bool AllReduceStudy::any_differs() const {
  return std::ranges::any_of(pairs, [](const AllReducePair& p) { return p.differ > 0; });
}

std::vector<Bits> evaluate_map(const TopologyMap& map,
                               const std::vector<std::unique_ptr<CodeSource>>& inputs,
                               std::uint64_t count, Average average, ReduceOp op) {
  std::vector<Bits> codes(count);
  for_each_block({&map, 1}, inputs, count, average, op,
                 [&](std::uint64_t begin, const std::vector<std::vector<Bits>>& block) {
                   std::ranges::copy(block[0], codes.begin() + static_cast<std::ptrdiff_t>(begin));
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
  const AllReduceMessage& message = request.message;
  AllReduceStudy study;
  Trees trees(message.ranks);
  std::vector<TopologyMap> maps;
  for (const AllReducePlan& plan : request.plans) {
    require_type(plan, message.type);
    AllReduceOutputs outputs;
    outputs.order_undefined = message.op == ReduceOp::sum && order_undefined(plan.map, trees);
    if (request.with_exact) outputs.not_nearest = 0;
    study.plans.push_back(outputs);
    maps.push_back(plan.map);
  }
  for (std::size_t a = 0; a < maps.size(); ++a)
    for (std::size_t b = a + 1; b < maps.size(); ++b) {
      study.pairs.push_back({a, b, 0, {}, {}, 0});
      study.pairs.back().other_topology =
          elements_with_other_topology(maps[a], maps[b], message.ranks);
    }
  if (request.with_exact) maps.push_back(nearest_map(message));
  for_each_block(maps, request.inputs, message.count, request.average, message.op,
                 [&](std::uint64_t begin, const std::vector<std::vector<Bits>>& codes) {
                   if (request.with_exact)
                     for (std::size_t p = 0; p < study.plans.size(); ++p)
                       *study.plans[p].not_nearest += count_differences(codes.back(), codes[p]);
                   for (AllReducePair& pair : study.pairs)
                     count_pair(pair, message.type, begin, codes[pair.a], codes[pair.b]);
                 });
  return study;
}

}  // namespace whybits
