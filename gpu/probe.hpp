// Was every knob in force? What a kernel logged while it computed, against what its parameters
// demand. Without this, "block_m has no influence" might be true because block_m did nothing.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/kernel_table.hpp"
#include "gpu/kernels/gemm_args.hpp"

namespace whybits::gpu {

/// A kernel did not do what it was told: names the knob, what was asked and what was seen.
struct ProbeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ProbeSummary {
  std::uint64_t records = 0, ctas = 0, tiles = 0, parts = 0, warps = 0, stages = 0;
  std::uint64_t instructions = 0;
};

/// Compares tiles (block_m, block_n), their order (group_m), k tiles (block_k), slices (splits,
/// ctas), warps, stages and the number of instructions. Errors: ProbeError.
ProbeSummary check_probe(const Kernel& kernel, const LaunchParams& params, const Shape& shape,
                         std::span<const ProbeRecord> records);

}  // namespace whybits::gpu
