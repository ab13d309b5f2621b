// Descriptors of the bulk tensor copy.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace whybits::gpu {

/// A matrix of rows with k contiguous, and the box that one copy takes.
struct TensorBox {
  const void* matrix;  ///< on the device, at a multiple of 16 bytes
  std::uint32_t element_bytes;
  std::uint32_t k, rows, ld;  ///< extents and elements from row to row (multiple of 16 bytes)
  std::uint32_t box_k, box_rows;
  std::uint32_t swizzle;        ///< bytes: 32, 64 or 128; what lies beyond the matrix is zero
  std::uint32_t promotion = 0;  ///< bytes that the second-level cache takes at least: 0, 128 or 256
};

/// Asks the driver through the runtime: nothing links to libcuda. Errors: CudaError,
/// std::runtime_error if the driver refuses.
CUtensorMap tensor_map(const TensorBox& box);

}  // namespace whybits::gpu
