// cub::DeviceReduce::Sum of f32 as CUDA 13.0 runs it on sm_90: 256 threads, 16 items a thread.
//
// Orders of measured-orders §6 (seven sums and 5,094 probes on an H200, outside this project's
// recordings so far).
#pragma once

#include <cstdint>

#include "sim/builders/configuration_error.hpp"
#include "sim/schema.hpp"

namespace whybits {

/// One block over n < 8192 values. A full tile of 4096: thread t loads four vectors of four, 4t …
/// of every 1024, and adds its 16 items in neighbouring pairs; values beyond are dealt one by one
/// and folded onto that. Warps shuffle upward, their totals are folded. Errors: ConfigurationError.
SchemaPtr cub_block_sum(std::uint64_t n);

/// The whole reduction: a block a tile, then one block over their results; 0 + that.
/// Errors: ConfigurationError above 40 · sms tiles of 4096 (21.6 million addends on an H200), where
/// a block takes several tiles and the last one of them may be short: no topology is known for
/// that.
SchemaPtr cub_device_sum(std::uint64_t n, std::uint64_t sms = 132);

}  // namespace whybits
