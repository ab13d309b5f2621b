// How fixed.gemm is launched for a shape: tiles, pipeline and who adds the slices. None of it is in
// the topology; that depends on K and `longest_slice` alone.
#pragma once

#include "gpu/launch_params.hpp"

namespace whybits::gpu {

/// Slices of K: ceil(K / longest_slice) of equal length, in whole 64 addends. One number for all
/// shapes, so that no schedule can choose another tree.
inline constexpr std::uint64_t fixed_longest_slice = 3584;

/// What can be launched for every shape; longest_slice as above.
LaunchParams fixed_usual();

/// The fastest of those that were timed on an H200 (docs/price.md), by layer and rows; other shapes
/// take the rows of the layer whose n is nearest. `multiprocessors` of the device bound the blocks.
LaunchParams fixed_schedule(const Shape& shape, std::uint64_t multiprocessors);

/// Shared memory of a block in bytes, without what aligns it (the kernel's own: `Layout` in
/// kernels/fixed_gemm.cuh).
struct FixedShared {
  std::uint64_t panels;   ///< of one step of the ring, operands of 16 bits
  std::uint64_t stage;    ///< the same with its two barriers
  std::uint64_t partial;  ///< sums of a slice
  std::uint64_t beside;   ///< beside the ring: earlier slices' sums, or outputs on their way out
};
FixedShared fixed_shared(const LaunchParams& params);

}  // namespace whybits::gpu
