// From launch parameters to the topology of the outputs, through the builders of sim/builders.
#include "gpu/gemm_claims.hpp"

#include <algorithm>
#include <map>

#include "sim/builders/gemm.hpp"
#include "sim/ceil_div.hpp"
#include "sim/device_table.hpp"

namespace whybits::gpu {
namespace {

/// Slices of K that are asked for.
std::uint64_t splits_of(const LaunchParams& p, const Shape& shape) {
  return p.longest_slice == 0 ? p.splits : ceil_div(shape.k, p.longest_slice);
}

GemmConfig common_config(const Kernel& kernel, const LaunchParams& p) {
  GemmConfig config;
  config.block_m = p.block_m;
  config.block_n = p.block_n;
  config.block_k = p.block_k;
  config.group_m = p.group_m;
  config.splits = p.splits;
  config.split_grain = p.split_grain;
  if (p.split == "workspace_output") config.scheme = SplitScheme::workspace_output;
  if (p.split == "serial") config.scheme = SplitScheme::serial;
  if (p.split == "atomic") config.scheme = SplitScheme::atomic;
  const Format output = output_format(p);
  const Format& accumulator = kernel.instruction(p).accumulator;
  if (!(output == accumulator) || config.scheme != SplitScheme::workspace)
    config.output = Conversion{output, {}};
  return config;
}

/// A matrix instruction of the architecture.
Unit matrix_unit(std::string_view architecture, std::string_view family, const LaunchParams& p) {
  const std::string name =
      std::string(architecture) + "." + std::string(family) + "." + p.instruction;
  if (const std::optional<Unit> unit = find_device_unit(name)) return *unit;
  throw ConfigurationError("instruction = '" + p.instruction + "': there is no " + name);
}

/// Runs of outputs that share a topology, row-major. Tiles with equal borders share one.
TopologyMap map_of_tiles(const GemmConfig& config, const LaunchParams& p, const Shape& shape) {
  std::map<std::vector<std::uint64_t>, SchemaPtr> made;
  std::map<std::pair<std::uint64_t, std::uint64_t>, SchemaPtr> of_tile;
  const std::vector<TilePlace> order = tile_order(p, shape);
  const auto borders = slice_borders(p, shape);
  for (std::size_t t = 0; t < order.size(); ++t) {
    SchemaPtr& topology = made[borders[t]];
    if (!topology) {
      GemmConfig tile = config;
      tile.split_at.assign(borders[t].begin() + 1, borders[t].end() - 1);
      topology = gemm_topology(tile, shape.k);
    }
    of_tile[{order[t].row, order[t].column}] = topology;
  }
  TopologyMap map;
  for (std::uint64_t row = 0; row < shape.m; ++row)
    for (std::uint64_t column = 0; column < shape.n; column += p.block_n) {
      const SchemaPtr topology = of_tile.at({row / p.block_m * p.block_m, column});
      const std::uint64_t begin = row * shape.n + column;
      const std::uint64_t end = row * shape.n + std::min(shape.n, column + p.block_n);
      if (!map.regions.empty() && map.regions.back().topology == topology)
        map.regions.back().end = end;
      else
        map.regions.push_back({begin, end, topology});
    }
  return map;
}

Claim claim_of(const GemmConfig& config, const LaunchParams& p, const Shape& shape) {
  Claim claim;
  claim.product = config.product;
  if (p.split == "stream_k") {
    claim.map = map_of_tiles(config, p, shape);
    if (claim.map.regions.size() == 1) claim.topology = claim.map.regions[0].topology;
    return claim;
  }
  claim.topology = gemm_topology(config, shape.k);
  claim.order_defined = config.scheme != SplitScheme::atomic || p.splits == 1;
  return claim;
}

}  // namespace

Claim claim_simt_gemm(const Kernel& kernel, const LaunchParams& p, const Shape& shape,
                      std::string_view) {
  check_simt_gemm(kernel, p, shape);
  GemmConfig config = common_config(kernel, p);
  config.warps = p.warps;
  config.accumulators = p.accumulators;
  if (p.instruction == "f32.fma") {
    config.unit = ieee_fma(formats::f32);
  } else {
    config.unit = ieee_add(formats::f32);
    config.product = Conversion{formats::f32, {}};
  }
  return claim_of(config, p, shape);
}

Claim claim_mma_gemm(const Kernel& kernel, const LaunchParams& p, const Shape& shape,
                     std::string_view architecture) {
  check_mma_gemm(kernel, p, shape);
  GemmConfig config = common_config(kernel, p);
  config.warps = p.warps;
  config.stages = p.stages;
  config.warp_slices = p.warp_slices;
  config.unit = matrix_unit(architecture, "mma", p);
  return claim_of(config, p, shape);
}

Claim claim_wgmma_gemm(const Kernel& kernel, const LaunchParams& p, const Shape& shape,
                       std::string_view architecture) {
  check_wgmma_gemm(kernel, p, shape);
  GemmConfig config = common_config(kernel, p);
  config.warps = p.block_m / 64 * 4;
  config.stages = p.stages;
  config.promotion = p.promotion;
  config.unit = matrix_unit(architecture, "wgmma", p);
  return claim_of(config, p, shape);
}

/// The same whatever the tiles, the blocks and the rows of a: only k and longest_slice are read.
Claim claim_fixed_gemm(const Kernel& kernel, const LaunchParams& p, const Shape& shape,
                       std::string_view architecture) {
  check_fixed_gemm(kernel, p, shape);
  GemmConfig config;
  config.unit = matrix_unit(architecture, "wgmma", p);
  config.splits = splits_of(p, shape);
  config.split_grain = p.split_grain;
  if (const Format output = output_format(p); !(output == formats::f32))
    config.output = Conversion{output, {}};
  Claim claim;
  claim.topology = gemm_topology(config, shape.k);
  return claim;
}

std::vector<TilePlace> tile_order(const LaunchParams& p, const Shape& shape) {
  std::vector<TilePlace> order;
  const std::uint64_t group = p.group_m * p.block_m;
  for (std::uint64_t first = 0; first < shape.m; first += group)
    for (std::uint64_t column = 0; column < shape.n; column += p.block_n)
      for (std::uint64_t row = first; row < std::min(shape.m, first + group); row += p.block_m)
        order.push_back({row, column});
  return order;
}

std::vector<std::vector<std::uint64_t>> slice_borders(const LaunchParams& p, const Shape& shape) {
  const std::size_t tiles = tile_order(p, shape).size();
  std::vector<std::vector<std::uint64_t>> all(tiles);
  for (std::size_t t = 0; t < tiles; ++t) {
    std::vector<std::uint64_t>& borders = all[t];
    borders.push_back(0);
    if (p.split == "stream_k") {
      const std::uint64_t k_tiles = (shape.k + p.block_k - 1) / p.block_k;
      for (const std::uint64_t border : stream_k_borders(tiles, k_tiles, p.ctas, t))
        borders.push_back(border * p.block_k);
    } else {
      GemmConfig config;
      config.unit = ieee_fma(formats::f32);  // of no influence on the borders
      config.splits = splits_of(p, shape);
      config.split_grain = p.split_grain;
      const std::uint64_t length = split_length(config, shape.k);
      for (std::uint64_t k = length; k < shape.k; k += length) borders.push_back(k);
    }
    borders.push_back(shape.k);
  }
  return all;
}

}  // namespace whybits::gpu
