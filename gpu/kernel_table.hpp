// The project's own kernels: one row each, with the topology that the kernel claims.
//
// The table needs no GPU: names, parameters, their checks and the claims are there in every build.
// run_kernel.hpp runs a row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/launch_params.hpp"
#include "sim/builders/configuration_error.hpp"
#include "sim/schema.hpp"

namespace whybits::gpu {

enum class Computation : std::uint8_t {
  gemm,     ///< out[m][n] = a[m][k] · b[k][n]
  row_sums  ///< out[m] = sum of a[m][k]
};

/// One instruction that a kernel can be told to use.
struct Instruction {
  std::string_view name;  ///< value of the knob `instruction`
  Format a, b;            ///< operands; of row sums only a
  Format accumulator;
  std::uint64_t k = 1;        ///< addends of one instruction
  int least_capability = 80;  ///< compute capability, 10 · major + minor
  int last_capability = 999;
};

/// What a kernel says about its outputs.
struct Claim {
  /// Of every output. Null if the topology depends on the tile: then `map` has it.
  SchemaPtr topology;
  TopologyMap map;
  std::optional<Conversion> product;  ///< products are rounded before they are added
  bool order_defined = true;          ///< false: atomics
};

struct Kernel {
  std::string_view name;
  std::string_view summary;
  Computation computation;
  std::vector<std::string_view> knobs;  ///< members of LaunchParams that it reads
  std::vector<Instruction> instructions;
  /// Refuses what it cannot be launched with. Errors: ConfigurationError.
  void (*check)(const Kernel&, const LaunchParams&, const Shape&);
  /// `architecture` as units are named: "sm90". Errors: ConfigurationError.
  Claim (*claim)(const Kernel&, const LaunchParams&, const Shape&, std::string_view architecture);
  /// What knobs have that nobody sets; by the first instruction it can be launched so.
  LaunchParams usual = {};

  bool has_knob(std::string_view knob) const;
  /// Errors: ConfigurationError that lists the instructions.
  const Instruction& instruction(const LaunchParams& params) const;
};

std::span<const Kernel> kernel_table();
const Kernel* find_kernel(std::string_view name);

/// "sm90" for compute capability 9.0; units of a newer minor version are those of the major one.
std::string architecture_name(int major, int minor);

/// Formats of outputs by their name in LaunchParams. Errors: ConfigurationError.
Format output_format(const LaunchParams& params);

/// Output tiles in the order in which they are walked: groups of group_m tile rows, down the
/// columns of a group. First row and column of each.
struct TilePlace {
  std::uint64_t row, column;
};
std::vector<TilePlace> tile_order(const LaunchParams& params, const Shape& shape);

/// Borders of the slices of K of every tile, in the order of tile_order: 0, …, k.
std::vector<std::vector<std::uint64_t>> slice_borders(const LaunchParams& params,
                                                      const Shape& shape);

}  // namespace whybits::gpu
