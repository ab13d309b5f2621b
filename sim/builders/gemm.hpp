// From a GEMM kernel's configuration to the topology of one of its outputs.
//
// What a kernel is launched with falls in two parts. Tile height and width, the swizzle of tiles,
// pipeline stages and warps decide which outputs are computed where and when: they are checked here
// and leave the topology alone. What cuts or reorders K makes it: splits, Stream-K borders, warp
// slices, promotion, the residue tile, and a k tile that is no multiple of the matrix instruction's
// k. docs/sources.md names the source of every rule and says which of them have been measured.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/builders/configuration_error.hpp"
#include "sim/recipe.hpp"
#include "sim/schema.hpp"

namespace whybits {

/// How the slices of K become one output.
enum class SplitScheme : std::uint8_t {
  workspace,         ///< partials in the accumulator's format, added ascending
  workspace_output,  ///< partials rounded to the output's format, then added as before
  serial,            ///< ascending into a running total that is kept in the output's format
  atomic             ///< in the order in which they arrive; f32 sums flush subnormals
};

enum class KOrder : std::uint8_t {
  ascending,
  descending  ///< the last k tile first; inside a tile ascending
};

struct GemmConfig {
  Unit unit;  ///< f32.fma, f64.fma or a matrix unit; with `product` an IEEE add
  /// Products are rounded first, then added by `unit`: CUDA cores without fma.
  std::optional<Conversion> product;

  // Without influence on the topology.
  std::uint64_t block_m = 128;
  std::uint64_t block_n = 128;
  std::uint64_t group_m = 8;  ///< tile rows that are walked together
  std::uint64_t stages = 3;
  std::uint64_t warps = 8;

  /// k tile. Without influence if it is a multiple of the unit's addends: otherwise every tile ends
  /// in a short step, and the topology has seams there.
  std::uint64_t block_k = 64;
  KOrder k_order = KOrder::ascending;
  /// Every slice begins with a tile of (length mod block_k), so that full tiles follow
  /// (CUTLASS 2.x).
  bool residue_first = false;
  /// Warps share the k tile: slice p of P takes the p-th part of every tile into an accumulator of
  /// its own; they are added ascending in shared memory.
  std::uint64_t warp_slices = 1;
  /// A thread deals the addends of its slice round-robin to this many accumulators and adds them
  /// ascending at the end. Only units of one addend a step.
  std::uint64_t accumulators = 1;
  /// Every so many k a fresh accumulator, its total added to a main one; 0: never. (fp8 without
  /// fast accumulation: 128.)
  std::uint64_t promotion = 0;

  /// Split-K: `splits` slices of ceil(ceil(k / split_grain) / splits) · split_grain, or slices of
  /// `split_length` if that is not 0. The last one may be shorter, and there may be fewer than
  /// asked.
  std::uint64_t splits = 1;
  std::uint64_t split_grain = 64;
  std::uint64_t split_length = 0;
  /// Or explicit borders, ascending multiples of block_k: stream_k_borders().
  std::vector<std::uint64_t> split_at;
  SplitScheme scheme = SplitScheme::workspace;

  bool bias = false;  ///< `+ bias` after the last merge, before the output's rounding
  std::optional<Conversion> output;  ///< none: the accumulator as it is
};

/// All that does not depend on k. Errors: ConfigurationError.
void check_gemm(const GemmConfig& config);

/// Length of a slice of k; k if there is one slice. Errors: ConfigurationError.
std::uint64_t split_length(const GemmConfig& config, std::uint64_t k);

/// The topology of every output for k addends. Errors: ConfigurationError.
SchemaPtr gemm_topology(const GemmConfig& config, std::uint64_t k);

/// Borders of one output tile in k tiles, for `ctas` blocks that share tiles · k_tiles iterations
/// evenly and in order, the first ones taking one more (Stream-K). Border i lies before k tile i.
/// Errors: ConfigurationError.
std::vector<std::uint64_t> stream_k_borders(std::uint64_t tiles, std::uint64_t k_tiles,
                                            std::uint64_t ctas, std::uint64_t tile);

/// Inputs a, b and, if asked for, bias (one row) and the accumulator c; output y.
Recipe gemm_recipe(SchemaPtr topology, bool bias = false, bool c = false);

}  // namespace whybits
