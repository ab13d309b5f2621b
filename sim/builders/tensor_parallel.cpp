#include "sim/builders/tensor_parallel.hpp"

#include <bit>

namespace whybits {
namespace {

SchemaPtr in_parts(std::uint64_t count, const SchemaPtr& each, const SchemaPtr& merge) {
  return count == 1 ? each : schema(Parts{count, 1, each, merge});
}

SchemaPtr rounded(SchemaPtr topology, const std::optional<Conversion>& last) {
  return last ? schema(RoundTo{std::move(topology), *last}) : topology;
}

}  // namespace

TopologyMap row_parallel_map(const SchemaPtr& kernel, std::uint64_t ranks,
                             const TopologyMap& all_reduce, std::uint64_t outputs,
                             const std::optional<Conversion>& last) {
  if (outputs == 0) return {};
  if (ranks == 1) return {{{0, outputs, rounded(kernel, last)}}};
  TopologyMap map;
  for (const MapRegion& region : all_reduce.regions)
    map.regions.push_back(
        {region.begin, region.end, rounded(in_parts(ranks, kernel, region.topology), last)});
  return map;
}

SchemaPtr invariant_row_parallel(const SchemaPtr& kernel, std::uint64_t ranks, std::uint64_t parts,
                                 std::uint64_t k) {
  for (const auto& [name, value] : {std::pair{"ranks", ranks}, {"parts", parts}})
    if (!std::has_single_bit(value))
      throw ConfigurationError(name, value, "one binary tree needs a power of two");
  if (ranks > parts) throw ConfigurationError("ranks", ranks, "at most as many as parts");
  if (k % parts != 0)
    throw ConfigurationError("k", k, "must be a multiple of " + std::to_string(parts) + " parts");
  SchemaPtr each = kernel;
  std::optional<Conversion> last;
  if (const auto* round = std::get_if<RoundTo>(&kernel->form);
      round != nullptr && result_format(*round->inner)) {
    each = round->inner;
    last = round->conversion;
  }
  const std::optional<Format> wide = result_format(*each);
  if (!wide) throw ConfigurationError("the kernel's exact sum must be rounded, as in > f32");
  const SchemaPtr tree = schema(Pairs{ieee_add(*wide)});
  return rounded(in_parts(ranks, in_parts(parts / ranks, each, tree), tree), last);
}

}  // namespace whybits
