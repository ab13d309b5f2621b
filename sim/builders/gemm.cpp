#include "sim/builders/gemm.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/ceil_div.hpp"

namespace whybits {
namespace {

constexpr std::uint64_t most = std::uint64_t{1} << 16;  // of any tile or count

[[noreturn]] void refuse(const std::string& field, std::uint64_t value,
                         const std::string& allowed) {
  throw ConfigurationError(field, value, allowed);
}

void check_tiles(const GemmConfig& config) {
  for (const auto& [field, value] : {std::pair{"block_m", config.block_m},
                                     {"block_n", config.block_n},
                                     {"block_k", config.block_k},
                                     {"group_m", config.group_m},
                                     {"stages", config.stages},
                                     {"warps", config.warps},
                                     {"warp_slices", config.warp_slices},
                                     {"accumulators", config.accumulators},
                                     {"splits", config.splits},
                                     {"split_grain", config.split_grain}})
    if (value == 0 || value > most) refuse(field, value, "must be from 1 to 65536");
  if (config.product && config.unit.kind != Unit::Kind::add)
    throw ConfigurationError("unit = " + unit_name(config.unit) +
                             ": rounded products are added by an IEEE add");
  if (!config.product && (!config.unit.takes_products() || config.unit.kind == Unit::Kind::exact))
    throw ConfigurationError("unit = " + unit_name(config.unit) +
                             ": a GEMM needs f32.fma, f64.fma or a matrix unit");
  if (config.unit.after)
    throw ConfigurationError("unit = " + unit_name(config.unit) +
                             ": a GEMM's accumulator is not rounded inside the k loop");
}

void check_accumulators(const GemmConfig& config) {
  if (config.accumulators == 1) return;
  if (config.unit.addends != 1)
    refuse("accumulators", config.accumulators,
           "needs a unit of one addend a step, not " + unit_name(config.unit));
  if (config.block_k % config.accumulators != 0)
    refuse("accumulators", config.accumulators,
           "must divide block_k = " + std::to_string(config.block_k));
  if (config.warp_slices > 1 || config.promotion != 0 || config.residue_first ||
      config.k_order == KOrder::descending)
    refuse("accumulators", config.accumulators,
           "is not known together with warp slices, promotion, a residue tile or descending k "
           "tiles");
}

void check_k_loop(const GemmConfig& config) {
  check_accumulators(config);
  if (config.warp_slices > 1) {
    if (config.warps % config.warp_slices != 0)
      refuse("warp_slices", config.warp_slices,
             "must divide the " + std::to_string(config.warps) + " warps");
    if (config.block_k % config.warp_slices != 0)
      refuse("warp_slices", config.warp_slices,
             "must divide block_k = " + std::to_string(config.block_k));
    if (config.promotion != 0)
      refuse("promotion", config.promotion, "is not known together with warp slices");
    if (config.k_order == KOrder::descending)
      refuse("warp_slices", config.warp_slices, "is not known with descending k tiles");
  }
  if (config.promotion != 0) {
    const auto addends = static_cast<std::uint64_t>(config.unit.addends);
    if (config.promotion % addends != 0)
      refuse("promotion", config.promotion,
             "must be a multiple of the unit's " + std::to_string(addends) + " addends");
    if (config.promotion % config.block_k != 0 && config.block_k % config.promotion != 0)
      refuse("promotion", config.promotion,
             "must be a multiple or a divisor of block_k = " + std::to_string(config.block_k));
    if (config.k_order == KOrder::descending)
      refuse("promotion", config.promotion, "is not known with descending k tiles");
  }
  if (config.residue_first && config.k_order == KOrder::descending)
    throw ConfigurationError("residue_first: is not known with descending k tiles");
}

void check_splits(const GemmConfig& config, std::uint64_t k) {
  if (config.split_length != 0 && config.splits > 1)
    refuse("split_length", config.split_length,
           "give either this or splits = " + std::to_string(config.splits));
  if (!config.split_at.empty()) {
    if (config.split_length != 0 || config.splits > 1)
      throw ConfigurationError("split_at: give either borders or a number or length of slices");
    std::uint64_t before = 0;
    for (const std::uint64_t border : config.split_at) {
      if (border <= before || border >= k)
        refuse("split_at", border, "borders must ascend between 0 and k = " + std::to_string(k));
      if (border % config.block_k != 0)
        refuse("split_at", border,
               "must be a multiple of block_k = " + std::to_string(config.block_k));
      before = border;
    }
    if (k % config.block_k != 0 && (config.residue_first || config.k_order == KOrder::descending))
      refuse("block_k", config.block_k,
             "with split_at, must divide k = " + std::to_string(k) +
                 " for a residue tile or descending k tiles");
  }
  const bool rounds =
      config.scheme == SplitScheme::workspace_output || config.scheme == SplitScheme::serial;
  if (rounds && !config.output)
    throw ConfigurationError("scheme: rounds partials to the output's format; give output");
  if (config.scheme == SplitScheme::serial && config.bias)
    throw ConfigurationError("bias: is not known with a running total in the output's format");
}

SchemaPtr fold(const Unit& unit) {
  return schema(Fold{unit});
}

/// A rounding to the format that is there already, which is not written.
bool is_there(const Format& from, const Conversion& to) {
  return to == Conversion{from, {}};
}

SchemaPtr rounded(SchemaPtr topology, const Format& from, const Conversion& to) {
  return is_there(from, to) ? topology : schema(RoundTo{std::move(topology), to});
}

/// An accumulator that begins at +0; an add would begin with its first addend.
SchemaPtr accumulate(const Unit& unit) {
  return unit.kind == Unit::Kind::add ? schema(Fold{unit, Start::zero}) : fold(unit);
}

/// The unit over consecutive k tiles, a seam at each of them.
SchemaPtr over_tiles(const GemmConfig& config, std::uint64_t tile) {
  if (tile % static_cast<std::uint64_t>(config.unit.addends) == 0) return accumulate(config.unit);
  return schema(Slices{tile, accumulate(config.unit), nullptr});
}

/// What one block of threads does with a slice of K.
SchemaPtr slice_topology(const GemmConfig& config, std::uint64_t length) {
  const Unit total = ieee_add(config.unit.format);
  const std::uint64_t residue = length % config.block_k;
  const bool short_tile = residue != 0 && length > config.block_k;
  if (config.accumulators > 1)
    return schema(Lanes{config.accumulators, 1, accumulate(config.unit), fold(total)});
  if (config.k_order == KOrder::descending) {
    // In the reversed list the short last tile comes first, and every tile is turned round again.
    SchemaPtr tiles =
        schema(Slices{config.block_k, schema(Reverse{accumulate(config.unit)}), nullptr});
    if (short_tile) tiles = schema(Cut{{residue}, tiles, nullptr});
    return schema(Reverse{tiles});
  }
  if (config.residue_first && short_tile) {
    if (config.warp_slices > 1 || config.promotion != 0)
      throw ConfigurationError("residue_first: a residue of " + std::to_string(residue) +
                               " is not known together with warp slices or promotion");
    return schema(Cut{{residue}, over_tiles(config, config.block_k), nullptr});
  }
  if (config.warp_slices > 1) {
    const std::uint64_t part = config.block_k / config.warp_slices;
    return schema(Lanes{config.warp_slices, part, over_tiles(config, part), fold(total)});
  }
  if (config.promotion != 0)
    return schema(Slices{config.promotion,
                         over_tiles(config, std::min(config.block_k, config.promotion)),
                         fold(total)});
  return over_tiles(config, config.block_k);
}

SchemaPtr merge_of(const GemmConfig& config) {
  const Unit add = ieee_add(config.unit.format);
  switch (config.scheme) {
    case SplitScheme::workspace:
    case SplitScheme::workspace_output:
      break;
    case SplitScheme::serial:
      return fold(is_there(add.format, *config.output) ? add : rounded_after(add, *config.output));
    case SplitScheme::atomic: {
      RoundRule flushing;  // as float atomics in global memory do
      if (add.format == formats::f32) flushing.flush = Flush::both;
      return schema(Any{ieee_add(add.format, flushing)});
    }
  }
  return fold(add);
}

}  // namespace

void check_gemm(const GemmConfig& config) {
  check_tiles(config);
  check_k_loop(config);
}

std::uint64_t split_length(const GemmConfig& config, std::uint64_t k) {
  check_gemm(config);
  check_splits(config, k);
  if (config.split_length != 0) return std::min(config.split_length, k);
  if (config.splits == 1) return k;
  return std::min(k, ceil_div(ceil_div(k, config.split_grain), config.splits) * config.split_grain);
}

SchemaPtr gemm_topology(const GemmConfig& config, std::uint64_t k) {
  const std::uint64_t length = split_length(config, k);
  const auto partial = [&](std::uint64_t of) {
    SchemaPtr slice = slice_topology(config, of);
    if (config.scheme != SplitScheme::workspace_output) return slice;
    return rounded(slice, config.unit.format, *config.output);
  };
  SchemaPtr result;
  if (!config.split_at.empty()) {
    // All pieces are whole k tiles, or tiles do not matter to them.
    result = schema(Cut{config.split_at, partial(config.block_k), merge_of(config)});
  } else if (length < k) {
    const std::uint64_t last = k % length;
    const bool by_length = config.residue_first || config.k_order == KOrder::descending;
    result = schema(Slices{length, partial(length), merge_of(config),
                           by_length && last != 0 ? partial(last) : nullptr});
  } else {
    result = slice_topology(config, k);
  }
  if (config.bias) result = schema(AddOperand{result, "bias"});
  if (!config.output) return result;
  return rounded(result, config.bias ? formats::f32 : config.unit.format, *config.output);
}

std::vector<std::uint64_t> stream_k_borders(std::uint64_t tiles, std::uint64_t k_tiles,
                                            std::uint64_t ctas, std::uint64_t tile) {
  if (ctas == 0) refuse("ctas", ctas, "must be at least 1");
  if (tile >= tiles) refuse("tile", tile, "there are " + std::to_string(tiles) + " tiles");
  const std::uint64_t iterations = tiles * k_tiles;
  const std::uint64_t each = iterations / ctas;
  const std::uint64_t longer = iterations % ctas;
  const auto begin_of = [&](std::uint64_t cta) { return cta * each + std::min(cta, longer); };
  std::vector<std::uint64_t> borders;
  const std::uint64_t first = tile * k_tiles;
  for (std::uint64_t cta = 1; cta < ctas; ++cta) {
    const std::uint64_t begin = begin_of(cta);
    if (begin > first && begin < first + k_tiles && begin != begin_of(cta - 1))
      borders.push_back(begin - first);
  }
  return borders;
}

Recipe gemm_recipe(SchemaPtr topology, bool bias, bool c) {
  Reduce product{.by = std::move(topology), .along = Along::matrix, .a = "a", .b = "b"};
  Recipe recipe{{"a", "b"}, {}, {"y"}};
  if (bias) {
    recipe.inputs.emplace_back("bias");
    product.operands = {{"bias", "bias"}};
  }
  if (c) {
    recipe.inputs.emplace_back("c");
    product.c = "c";
  }
  recipe.steps.push_back({{"y"}, std::move(product)});
  return recipe;
}

}  // namespace whybits
