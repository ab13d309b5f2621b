#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gpu/cuda_error.cuh"

namespace whybits::gpu {

/// Starts a kernel with dynamic shared memory, also with more than the 48 KiB that need asking.
template <class... Params, class... Args>
void launch(const std::string& name, void (*kernel)(Params...), std::uint32_t grid,
            std::uint32_t threads, std::size_t shared_bytes, Args... args) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared_bytes)),
        "shared memory of " + name);
  kernel<<<grid, threads, shared_bytes>>>(args...);
  check_launch(name);
}

}  // namespace whybits::gpu
