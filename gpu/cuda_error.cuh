// One exception for everything that the CUDA runtime refuses.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace whybits::gpu {

/// A call of the CUDA runtime, or a kernel, failed: "cudaMalloc: out of memory".
struct CudaError : std::runtime_error {
  CudaError(const std::string& call, cudaError_t error)
      : std::runtime_error(call + ": " + cudaGetErrorString(error)), code(error) {}

  cudaError_t code;
};

inline void check(cudaError_t error, const std::string& call) {
  if (error != cudaSuccess) throw CudaError(call, error);
}

/// After a launch: configurations that are refused at once. It does not wait.
inline void check_launch(const std::string& kernel) {
  check(cudaGetLastError(), "launch of " + kernel);
}

/// Waits for all kernels, and has the faults of this one.
inline void check_finished(const std::string& kernel) {
  check(cudaDeviceSynchronize(), kernel);
}

}  // namespace whybits::gpu
