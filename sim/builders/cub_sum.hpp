// cub::DeviceReduce::Sum of f32 as CUDA 13.0 runs it on sm_90: 256 threads, 16 items a thread.
//
// Orders of cub/agent/agent_reduce.cuh and cub/thread/thread_reduce.cuh, measured on an H200 with
// seven sums and 5,094 probes (docs/sources.md), outside this project's recordings so far.
#pragma once

#include <cstdint>

#include "sim/builders/configuration_error.hpp"
#include "sim/schema.hpp"

namespace whybits {

/// One block over n < 8192 values. A full tile of 4096: thread t loads four vectors of four, 4t …
/// of every 1024, and adds its 16 items in neighbouring pairs; values beyond are dealt one by one
/// and folded onto that. Warps shuffle upward, their totals are folded. Errors: ConfigurationError.
SchemaPtr cub_block_sum(std::uint64_t n);

/// The whole reduction: 40 · sms blocks at most, block b takes tiles b, b + blocks, … of 4096; then
/// one block over their results; 0 + that. In a block that has several tiles, a thread's total so
/// far is the first of the 17 items that it adds in pairs at the next one.
/// Errors: ConfigurationError, also if the block with a short last tile has more than 2²² addends
/// (n above 22 billion on an H200, and no multiple of 4096).
SchemaPtr cub_device_sum(std::uint64_t n, std::uint64_t sms = 132);

}  // namespace whybits
