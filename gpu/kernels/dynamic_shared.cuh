#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gpu/cuda_error.cuh"
#include "sim/ceil_div.hpp"

namespace whybits::gpu {

/// Blocks, threads of a block, bytes of dynamic shared memory, and where.
struct LaunchExtent {
  std::uint32_t grid, threads;
  std::size_t shared_bytes;
  cudaStream_t stream = nullptr;
  std::uint32_t cluster = 1;  ///< blocks that are started together; compute capability 9.0
};

/// The widest read of shared memory, in bytes.
inline constexpr std::size_t widest_read = 16;

/// Starts a kernel with dynamic shared memory, also with more than the 48 KiB that need asking.
/// It has whole widest reads: at the end of an array, where one to three floats are left, nvcc
/// reads four and drops those beyond (`LDS.128`), since it knows that the array begins on 16 bytes.
template <class... Params, class... Args>
void launch(const std::string& name, void (*kernel)(Params...), const LaunchExtent& extent,
            Args... args) {
  const std::size_t shared_bytes = round_up(extent.shared_bytes, widest_read);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared_bytes)),
        "shared memory of " + name);
  cudaLaunchConfig_t config{};
  config.gridDim = extent.grid;
  config.blockDim = extent.threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = extent.stream;
  cudaLaunchAttribute cluster{};
  config.attrs = &cluster;
  if (extent.cluster > 1) {
    config.numAttrs = 1;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {extent.cluster, 1, 1};
  }
  check(cudaLaunchKernelEx(&config, kernel, args...), "launch of " + name);
  check_launch(name);
}

}  // namespace whybits::gpu
