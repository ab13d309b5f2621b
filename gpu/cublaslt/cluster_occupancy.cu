#include <cuda_runtime.h>

#include "gpu/cublaslt/cluster_occupancy.hpp"
#include "gpu/cublaslt/heuristics.hpp"

namespace whybits::gpu {
namespace {

constexpr unsigned most_blocks = 16;  ///< of a cluster, on Hopper

/// Takes shared memory, so that a multiprocessor has room for one block.
__global__ void occupy() {
  extern __shared__ char memory[];
  memory[threadIdx.x] = 0;
}

void require(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw CublasltError(std::string(what) + ": " + cudaGetErrorString(status));
}

}  // namespace

std::vector<std::uint32_t> clusters_at_once() {
  int shared_bytes = 0;
  require(cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0),
          "cudaDeviceGetAttribute");
  const void* const kernel = reinterpret_cast<const void*>(&occupy);
  require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
          "cudaFuncSetAttribute");
  require(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
          "cudaFuncSetAttribute");
  std::vector<std::uint32_t> fit;
  for (unsigned size = 1; size <= most_blocks; ++size) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(size);
    config.blockDim = dim3(384);
    config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
    config.attrs = &attribute;
    config.numAttrs = 1;
    int clusters = 0;
    require(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config),
            "cudaOccupancyMaxActiveClusters");
    fit.push_back(static_cast<std::uint32_t>(clusters));
  }
  return fit;
}

}  // namespace whybits::gpu
