#include "sim/fast/all_reduce.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "sim/ceil_div.hpp"
#include "sim/expand.hpp"
#include "sim/share_work.hpp"

namespace whybits::fast {
namespace {

/// Reductions of the schemas of a map; neighbouring blocks share most of them.
class Reductions {
 public:
  Reductions(std::uint64_t ranks, const LeafTypes& types) : ranks_(ranks), types_(types) {}

  const Reduction& of(const SchemaPtr& schema) {
    const auto [place, fresh] = made_.try_emplace(schema);
    if (fresh) place->second = make_reduction(schema, ranks_, types_);
    return place->second;
  }
  /// Of every region. Errors: TopologyError if they differ in format.
  std::vector<Reduction> of_all(const TopologyMap& map) {
    std::vector<Reduction> needed;
    for (const MapRegion& region : map.regions) {
      needed.push_back(of(region.topology));
      if (!(needed.back().result == needed.front().result))
        throw TopologyError("the regions of the map differ in the format of their results");
    }
    return needed;
  }
  /// What the last block used and the next does not is made again if needed.
  void forget() {
    constexpr std::size_t most = 4096;
    if (made_.size() > most) made_.clear();
  }

 private:
  std::uint64_t ranks_;
  LeafTypes types_;
  std::map<SchemaPtr, Reduction> made_;
};

/// The regions that meet [begin, end), cut to it and moved to 0.
TopologyMap window(const TopologyMap& map, std::uint64_t begin, std::uint64_t end) {
  TopologyMap part;
  auto region =
      std::upper_bound(map.regions.begin(), map.regions.end(), begin,
                       [](std::uint64_t at, const MapRegion& found) { return at < found.end; });
  for (; region != map.regions.end() && region->begin < end; ++region)
    part.regions.push_back({std::max(region->begin, begin) - begin,
                            std::min(region->end, end) - begin, region->topology});
  return part;
}

void require_covered(const TopologyMap& map, std::uint64_t count) {
  std::uint64_t end = 0;
  for (const MapRegion& region : map.regions) {
    if (region.begin != end) break;
    end = region.end;
  }
  if (end != count)
    throw TopologyError("the map describes elements up to " + std::to_string(end) + " of " +
                        std::to_string(count));
}

CodeMatrix read_block(std::span<const CodeSource* const> ranks, std::uint64_t begin,
                      std::span<const std::uint64_t> columns, unsigned threads) {
  CodeMatrix block = CodeMatrix::unset(ranks[0]->format(), ranks.size(), columns.size());
  constexpr std::uint64_t rows = 16;  // that a thread takes at a time
  share_work(ceil_div(ranks.size(), rows), threads, [&](std::uint64_t piece) {
    const std::uint64_t last = std::min((piece + 1) * rows, std::uint64_t{ranks.size()});
    for (std::uint64_t r = piece * rows; r < last; ++r)
      block.read_row(r, *ranks[r], begin, columns);
  });
  return block;
}

}  // namespace

void evaluate_all_reduces(
    std::span<const TopologyMap> maps, std::span<const CodeSource* const> ranks,
    std::uint64_t count, const std::optional<Scalar>& scale, const AllReduceOptions& options,
    const std::function<void(std::uint64_t, std::span<const CodeMatrix>)>& visit) {
  for (const TopologyMap& map : maps) require_covered(map, count);
  if (count == 0) return;
  const Format format = ranks[0]->format();
  const unsigned threads = thread_count(options.threads);
  LaneOperands operands;
  operands.rows = 1;
  operands.length = ranks.size();
  if (scale) {
    operands.a =
        CodeMatrix::of(format, 1, ranks.size(), std::vector<Bits>(ranks.size(), scale->code));
    operands.product = Conversion{format, {}};
  }
  LeafTypes types{.a = format};
  if (scale) types = {.a = format, .b = format, .product = operands.product};
  Reductions reductions(ranks.size(), types);
  const std::uint64_t row_bytes = ranks.size() * format.word_bytes();
  const std::uint64_t block =
      std::clamp<std::uint64_t>(options.input_bytes / row_bytes, 1, std::uint64_t{1} << 22);
  std::vector<std::uint64_t> columns(std::min(block, count));
  std::iota(columns.begin(), columns.end(), 0);
  for (std::uint64_t begin = 0; begin < count && !options.stop.stop_requested(); begin += block) {
    const std::uint64_t length = std::min(block, count - begin);
    const std::span<const std::uint64_t> used(columns.data(), length);
    operands.columns = length;
    operands.b = read_block(ranks, begin, used, threads);
    std::vector<CodeMatrix> results;
    for (const TopologyMap& map : maps) {
      const TopologyMap part = window(map, begin, begin + length);
      const RegionPlan plan = compile(part, reductions.of_all(part), types);
      results.push_back(evaluate(plan, operands, {{0}, {used.begin(), used.end()}, length},
                                 {.threads = options.threads, .stop = options.stop}));
    }
    visit(begin, results);
    reductions.forget();
  }
}

void evaluate_all_reduce(const TopologyMap& map, std::span<const CodeSource* const> ranks,
                         std::uint64_t count, const std::optional<Scalar>& scale,
                         const AllReduceOptions& options,
                         const std::function<void(std::uint64_t, const CodeMatrix&)>& visit) {
  evaluate_all_reduces(
      {&map, 1}, ranks, count, scale, options,
      [&](std::uint64_t begin, std::span<const CodeMatrix> codes) { visit(begin, codes[0]); });
}

}  // namespace whybits::fast
