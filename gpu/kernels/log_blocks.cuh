// Every block of a kernel says that it ran, and how wide it is.
#pragma once

#include "gpu/recipe_kernels.hpp"

namespace whybits::gpu {

__device__ inline void log_block(LaunchedBlocks* log) {
  if (threadIdx.x != 0) return;
  atomicAdd(&log->blocks, 1u);
  log->threads = blockDim.x;
}

}  // namespace whybits::gpu
