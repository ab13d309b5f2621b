#include "sim/builders/block_sum.hpp"

#include <bit>
#include <string>
#include <utility>

#include "sim/builders/f32_orders.hpp"

namespace whybits {

SchemaPtr warp_sum(WarpOrder order) {
  return order == WarpOrder::down ? f32_halves() : schema(Pairs{f32_add()});
}

SchemaPtr block_sum(const BlockSum& config) {
  if (config.threads == 0 || config.threads > 1024)
    throw ConfigurationError("threads", config.threads, "a block has 1 to 1024");
  if (config.vector == 0) throw ConfigurationError("vector", config.vector, "must be at least 1");
  const bool adds = config.unit.kind == Unit::Kind::add;
  if (!adds && config.unit.kind != Unit::Kind::fma)
    throw ConfigurationError("unit = " + unit_name(config.unit) +
                             ": threads add f32 values or use f32.fma on products");
  const SchemaPtr totals =
      config.totals == WarpTotals::halves ? f32_halves() : schema(Fold{f32_add()});
  return schema(Lanes{config.threads, config.vector, schema(Fold{config.unit, Start::zero}),
                      schema(Slices{32, warp_sum(config.warp), totals})});
}

SchemaPtr triton_row_sum(const TritonSum& config) {
  for (const auto& [field, value] :
       {std::pair{"block", config.block}, {"warps", config.warps}, {"run", config.run}})
    if (!std::has_single_bit(value))
      throw ConfigurationError(field, value, "must be a power of two");
  const std::uint64_t threads = 32 * config.warps;
  if (config.block < threads * config.run)
    throw ConfigurationError(
        "block", config.block,
        "must be at least 32 · warps · run = " + std::to_string(threads * config.run));
  const SchemaPtr thread = config.in_thread == TritonSum::InThread::fold ? schema(Fold{f32_add()})
                                                                         : schema(Pairs{f32_add()});
  const SchemaPtr warps = schema(Slices{32, f32_halves(), f32_halves()});
  const SchemaPtr block = schema(Lanes{threads, config.run, thread, warps});
  return schema(Slices{config.block, block, schema(Fold{f32_add(), Start::zero})});
}

}  // namespace whybits
