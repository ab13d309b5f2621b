// Does a configuration fit the machine? The bounds that make libraries choose other tiles, and with
// them other splits, for small and large problems.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/builders/gemm.hpp"

namespace whybits {

struct SmBounds {
  std::uint64_t registers_per_thread;
  std::uint64_t shared_bytes;  ///< that one block of threads may use
};
/// Compute capability 9.0: 228 KiB of shared memory an SM, of which a block may have 227 (CUDA C++
/// Programming Guide, technical specifications per compute capability).
inline constexpr SmBounds sm90_bounds{255, 232448};

struct GemmResources {
  std::uint64_t accumulator_registers = 0;  ///< a thread; one f32 or two f16 in a register
  std::uint64_t shared_bytes = 0;           ///< operand tiles of all stages
  std::vector<std::string> problems;        ///< bounds that are exceeded; empty: it fits

  bool fits() const { return problems.empty(); }
};

/// Accumulators and operand tiles against the bounds: the tile must fit into the registers of the
/// warps that share it (in practice into about half of them) and the stages into shared memory.
/// Errors: ConfigurationError for a configuration that is no GEMM.
GemmResources fits_sm90(const GemmConfig& config);

}  // namespace whybits
