#pragma once

#include <cstdint>

namespace whybits::gpu {

/// The ring: which stage a k tile is in, and the parity of its barriers. Both sides count alike.
struct Ring {
  std::uint32_t stages, stage = 0, parity = 0;

  __device__ void advance() {
    if (++stage < stages) return;
    stage = 0;
    parity ^= 1;
  }
};

}  // namespace whybits::gpu
