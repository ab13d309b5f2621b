// How many clusters of thread blocks this machine's GPU holds at once: kernels that cut K so that
// the GPU is full depend on it, and GPUs of one model differ.
#pragma once

#include <cstdint>
#include <vector>

namespace whybits::gpu {

/// For clusters of 1, 2, … 16 blocks that each take a multiprocessor for themselves; 0 where none
/// fits. Errors: CublasltError.
std::vector<std::uint32_t> clusters_at_once();

}  // namespace whybits::gpu
