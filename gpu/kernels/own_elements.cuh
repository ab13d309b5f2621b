// Which elements of a row a thread takes: lanes(threads, by=vector, …).
#pragma once

#include <cstdint>

#include "gpu/kernels/recipe_launch.hpp"

namespace whybits::gpu {

/// How a block walks rows. Host and device.
struct RowBlock {
  std::uint32_t columns = 0;
  std::uint32_t threads = 1;  ///< that share a row; those that fill the last warp idle
  std::uint32_t vector = 1;   ///< neighbours that a thread takes at once

  /// Calls action(i) for the vectors t, t + threads, … of thread t, ascending.
  template <class Action>
  __device__ void each_own(Action action) const {
    if (threadIdx.x >= threads) return;
    for (std::uint32_t base = threadIdx.x * vector; base < columns; base += threads * vector)
      for (std::uint32_t i = base; i < min(columns, base + vector); ++i) action(i);
  }
};

inline RowBlock row_block(const RecipeRun& run) {
  return {size_of(run, "columns"), static_cast<std::uint32_t>(run.params.threads),
          static_cast<std::uint32_t>(run.params.vector)};
}

}  // namespace whybits::gpu
