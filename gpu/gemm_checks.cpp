// What the GEMM kernels refuse, each time with the value and what is allowed.
#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string_view>

#include "gpu/fixed_schedule.hpp"
#include "gpu/gemm_claims.hpp"
#include "sim/ceil_div.hpp"

namespace whybits::gpu {
namespace {

constexpr std::uint64_t most_extent = 1 << 20;
constexpr std::uint64_t most_elements = std::uint64_t{1} << 30;  // of a matrix: 32-bit tile counts
constexpr std::uint64_t shared_limit = 232448;  // bytes of a block, compute capability 9.0

void in_range(const std::string& name, std::uint64_t value, std::uint64_t low, std::uint64_t high) {
  if (value < low || value > high)
    throw ConfigurationError(name, value,
                             "must be from " + std::to_string(low) + " to " + std::to_string(high));
}

void multiple(const std::string& name, std::uint64_t value, std::uint64_t of) {
  if (value == 0 || value % of != 0)
    throw ConfigurationError(name, value, "must be a multiple of " + std::to_string(of));
}

void check_shape(const Shape& shape) {
  for (const auto& [name, extent] :
       {std::pair{"m", shape.m}, std::pair{"n", shape.n}, std::pair{"k", shape.k}})
    in_range(name, extent, 1, most_extent);
  for (const std::uint64_t elements : {shape.m * shape.n, shape.m * shape.k, shape.n * shape.k})
    if (elements > most_elements)
      throw ConfigurationError("shape: a matrix has " + std::to_string(elements) +
                               " elements, at most " + std::to_string(most_elements));
}

void check_split(const Kernel& kernel, const LaunchParams& p, const Shape& shape) {
  constexpr std::array schemes{"workspace", "workspace_output", "serial", "atomic", "stream_k"};
  if (std::ranges::find(schemes, p.split) == schemes.end())
    throw ConfigurationError("split = '" + p.split +
                             "': workspace, workspace_output, serial, atomic or stream_k");
  const Instruction& instruction = kernel.instruction(p);
  const Format output = output_format(p);
  if (!(instruction.accumulator == formats::f32) && !(output == instruction.accumulator))
    throw ConfigurationError("output = '" + p.output + "': " + p.instruction +
                             " accumulates in another format, and it is stored as it is");
  if (instruction.accumulator == formats::f32 && output == formats::f64)
    throw ConfigurationError("output = 'f64': " + p.instruction + " accumulates in f32");
  const bool stream_k = p.split == "stream_k";
  const bool cut = p.splits > 1 || stream_k;
  if (cut && !(instruction.accumulator == formats::f32))
    throw ConfigurationError("splits", p.splits, "only f32 accumulators are split");
  in_range("splits", p.splits, 1, 1024);
  if (p.split == "atomic" && cut && !(output == formats::f32))
    throw ConfigurationError("output = '" + p.output + "': atomics add f32");
  if (stream_k) {
    if (p.splits != 1)
      throw ConfigurationError("splits", p.splits, "Stream-K cuts by ctas, splits must be 1");
    in_range("ctas", p.ctas, 1, 132);  // blocks wait for each other
    const std::uint64_t iterations =
        ceil_div(shape.m, p.block_m) * ceil_div(shape.n, p.block_n) * ceil_div(shape.k, p.block_k);
    if (p.ctas > iterations)
      throw ConfigurationError("ctas", p.ctas,
                               "there are " + std::to_string(iterations) + " k tiles to share");
  }
  in_range("ctas", p.ctas, 0, 65536);
  // Slices begin at whole instructions and at whole 16-byte pieces of a row.
  if (p.splits > 1)
    multiple("split_grain", p.split_grain,
             std::max(instruction.k, 16 / instruction.a.word_bytes()));
}

void check_common(const Kernel& kernel, const LaunchParams& p, const Shape& shape) {
  check_shape(shape);
  in_range("block_m", p.block_m, 1, 1024);
  in_range("block_n", p.block_n, 1, 1024);
  in_range("block_k", p.block_k, 1, 4096);
  in_range("group_m", p.group_m, 1, 65536);
  constexpr std::uint64_t most_tiles = 1 << 20;
  const std::uint64_t tiles = ceil_div(shape.m, p.block_m) * ceil_div(shape.n, p.block_n);
  if (tiles > most_tiles)
    throw ConfigurationError("block_m · block_n", p.block_m * p.block_n,
                             "makes " + std::to_string(tiles) + " tiles, at most " +
                                 std::to_string(most_tiles) + "; take larger ones");
  // Every row of outputs crosses every column of tiles: regions of the claim's map.
  if (p.split == "stream_k" && shape.m * ceil_div(shape.n, p.block_n) > most_tiles)
    throw ConfigurationError("block_n", p.block_n,
                             "Stream-K's map of topologies would have more than " +
                                 std::to_string(most_tiles) + " regions; take wider tiles");
  check_split(kernel, p, shape);
}

void check_shared(std::uint64_t bytes) {
  if (bytes > shared_limit)
    throw ConfigurationError("shared memory", bytes,
                             "a block has at most " + std::to_string(shared_limit) +
                                 " bytes; take fewer stages or smaller tiles");
}

void one_of(const std::string& name, std::uint64_t value, std::span<const std::uint64_t> compiled) {
  if (std::ranges::find(compiled, value) != compiled.end()) return;
  std::string allowed;
  for (const std::uint64_t one : compiled)
    allowed += (allowed.empty() ? "" : ", ") + std::to_string(one);
  throw ConfigurationError(name, value, "compiled are " + allowed);
}

/// Tile heights that fixed.gemm was compiled for.
std::span<const std::uint64_t> fixed_heights(std::string_view split) {
  static constexpr std::array<std::uint64_t, 6> cluster{8, 16, 32, 64, 128, 256};
  static constexpr std::array<std::uint64_t, 6> last_arrival{8, 32, 64, 128, 192, 256};
  static constexpr std::array<std::uint64_t, 7> running{8, 16, 32, 64, 128, 192, 256};
  if (split == "cluster") return cluster;
  if (split == "last_arrival") return last_arrival;
  if (split == "running") return running;
  throw ConfigurationError("split = '" + std::string(split) +
                           "': cluster, last_arrival or running");
}

}  // namespace

void check_fixed_gemm(const Kernel& kernel, const LaunchParams& p, const Shape& shape) {
  check_shape(shape);
  kernel.instruction(p);  // refuses unknown ones
  one_of("block_m", p.block_m, fixed_heights(p.split));
  one_of("block_n", p.block_n, std::array<std::uint64_t, 2>{64, 128});
  multiple("block_k", p.block_k, 64);
  in_range("block_k", p.block_k, 64, 256);
  in_range("group_m", p.group_m, 1, 65536);
  in_range("stages", p.stages, 1, 24);
  in_range("once", p.once, 0, 1);
  one_of("fetch", p.fetch, std::array<std::uint64_t, 3>{0, 128, 256});
  one_of("cluster", p.cluster, std::array<std::uint64_t, 3>{1, 2, 4});
  multiple("longest_slice", p.longest_slice, 64);
  const std::uint64_t slices = ceil_div(shape.k, p.longest_slice);
  in_range("slices of longest_slice", slices, 1, 1024);
  if (const Format output = output_format(p); output == formats::f64)
    throw ConfigurationError("output = 'f64': " + p.instruction + " accumulates in f32");
  in_range("ctas", p.ctas, 0, 65536);
  if (p.ctas % p.cluster != 0)
    throw ConfigurationError("ctas", p.ctas,
                             "must be whole clusters of " + std::to_string(p.cluster));
  if (p.cluster > 1) {
    if (p.block_m % (8 * p.cluster) != 0)
      throw ConfigurationError("cluster", p.cluster,
                               "each block copies a share of block_m, a multiple of 8 rows");
  }
  if (p.split != "cluster" && p.together != 1)
    throw ConfigurationError("together", p.together, "only split = cluster shares slices out");
  const FixedShared shared = fixed_shared(p);
  if (p.split == "cluster") {
    constexpr std::uint64_t most_blocks = 8;  // of a cluster
    in_range("together", p.together, 1, most_blocks);
    if (slices > most_blocks)
      throw ConfigurationError("slices of longest_slice", slices, "a cluster has at most 8 blocks");
    if (const std::uint64_t blocks = ceil_div(slices, p.together) * p.cluster; blocks > most_blocks)
      throw ConfigurationError(
          "cluster", p.cluster,
          "a cluster has at most 8 blocks, these slices make it " + std::to_string(blocks));
    if (p.ctas != 0)
      throw ConfigurationError("ctas", p.ctas, "split = cluster has a block a tile and slice");
    if (shared.partial > p.stages * shared.panels)
      throw ConfigurationError("stages", p.stages, "partials do not fit where the k tiles were");
  }
  check_shared(p.stages * shared.stage + shared.beside + 16 + 1024);
}

void check_simt_gemm(const Kernel& kernel, const LaunchParams& p, const Shape& shape) {
  check_common(kernel, p, shape);
  in_range("warps", p.warps, 1, 32);
  if (p.accumulators > 8 || !std::has_single_bit(p.accumulators))
    throw ConfigurationError("accumulators", p.accumulators, "must be 1, 2, 4 or 8");
  multiple("block_k", p.block_k, p.accumulators);
  constexpr std::uint64_t outputs_of_a_thread = 4;
  const std::uint64_t most = outputs_of_a_thread * 32 * p.warps;
  if (p.block_m * p.block_n > most)
    throw ConfigurationError(
        "block_m · block_n", p.block_m * p.block_n,
        std::to_string(p.warps) + " warps hold at most " + std::to_string(most) + " outputs");
  if (p.splits > 1) multiple("split_grain", p.split_grain, p.accumulators);
  check_shared((p.block_m + p.block_n) * p.block_k * 4);
}

void check_mma_gemm(const Kernel& kernel, const LaunchParams& p, const Shape& shape) {
  check_common(kernel, p, shape);
  const Instruction& instruction = kernel.instruction(p);
  const std::uint64_t size = instruction.a.word_bytes();
  multiple("block_m", p.block_m, 16);
  multiple("block_n", p.block_n, 8);
  multiple("block_k", p.block_k, 16 / std::min<std::uint64_t>(16, size));
  in_range("stages", p.stages, 1, 24);
  in_range("warps", p.warps, 1, 32);
  in_range("warp_slices", p.warp_slices, 1, p.warps);
  if (p.warp_slices > 1) {
    if (!(instruction.accumulator == formats::f32))
      throw ConfigurationError("warp_slices", p.warp_slices, "only f32 accumulators are added");
    if (p.warps % p.warp_slices != 0)
      throw ConfigurationError("warp_slices", p.warp_slices,
                               "must divide the " + std::to_string(p.warps) + " warps");
    multiple("block_k", p.block_k, p.warp_slices * instruction.k);
  }
  const std::uint64_t sharing = p.warps / p.warp_slices;
  const std::uint64_t held = ceil_div(p.block_m / 16 * (p.block_n / 8), sharing);
  if (held > 16 || (held > 4 && p.warps > 8))
    throw ConfigurationError("warps", p.warps,
                             "each would hold " + std::to_string(held) +
                                 " blocks of 16×8 outputs: at most 4, or 16 with up to 8 warps");
  const std::uint64_t row = ceil_div(p.block_k, instruction.k) * instruction.k * size + 16;
  check_shared(std::max(p.stages * (p.block_m + p.block_n) * row,
                        (p.warp_slices - 1) * p.block_m * p.block_n * 4));
}

void check_wgmma_gemm(const Kernel& kernel, const LaunchParams& p, const Shape& shape) {
  check_common(kernel, p, shape);
  const Instruction& instruction = kernel.instruction(p);
  if (p.block_m != 64 && p.block_m != 128)
    throw ConfigurationError("block_m", p.block_m, "must be 64 or 128: one or two warpgroups");
  const bool fp8 = instruction.k == 32, mixed = !(instruction.a == instruction.b);
  if (p.promotion != 0) {
    if (!fp8 || mixed)
      throw ConfigurationError("promotion", p.promotion, "is for e4m3 and e5m2 alone");
    multiple("promotion", p.promotion, instruction.k);
    if (p.promotion % p.block_k != 0 && p.block_k % p.promotion != 0)
      throw ConfigurationError("promotion", p.promotion,
                               "must be a multiple or a divisor of block_k");
  }
  std::vector<std::uint64_t> widths{8, 32, 64, 128, 256};
  if (p.promotion != 0) widths = {64, 128};
  if (mixed) widths = {64};
  if (std::ranges::find(widths, p.block_n) == widths.end()) {
    std::string allowed;
    for (const std::uint64_t width : widths)
      allowed += (allowed.empty() ? "" : ", ") + std::to_string(width);
    throw ConfigurationError("block_n", p.block_n, "compiled are " + allowed);
  }
  const std::uint64_t row = p.block_k * instruction.a.word_bytes();
  if (row != 32 && row != 64 && (row % 128 != 0 || row == 0))
    throw ConfigurationError("block_k", p.block_k,
                             "a row of the k tile must be 32, 64 or a multiple of 128 bytes");
  in_range("stages", p.stages, 1, 16);
  const std::uint64_t tile = (p.block_m + p.block_n) * row;
  check_shared(p.stages * ceil_div(tile, 1024) * 1024 + 1024 + 16 * p.stages);
}

}  // namespace whybits::gpu
