// Memory on the device that frees itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "gpu/cuda_error.cuh"

namespace whybits::gpu {

/// Bytes from cudaMalloc. Moves, never copies.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t bytes) : bytes_(bytes) {
    if (bytes > 0) check(cudaMalloc(&data_, bytes), "cudaMalloc");
  }
  /// Every byte is `value`: what a kernel leaves unwritten is seen.
  DeviceBuffer(std::size_t bytes, int value) : DeviceBuffer(bytes) {
    if (bytes > 0) check(cudaMemset(data_, value, bytes), "cudaMemset");
  }
  explicit DeviceBuffer(std::span<const std::uint8_t> host) : DeviceBuffer(host.size()) {
    if (!host.empty())
      check(cudaMemcpy(data_, host.data(), host.size(), cudaMemcpyHostToDevice),
            "cudaMemcpy to the device");
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~DeviceBuffer() { cudaFree(data_); }

  void* data() const { return data_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  std::size_t bytes() const { return bytes_; }

  std::vector<std::uint8_t> read(std::size_t bytes) const {
    std::vector<std::uint8_t> host(bytes);
    if (bytes > 0)
      check(cudaMemcpy(host.data(), data_, bytes, cudaMemcpyDeviceToHost),
            "cudaMemcpy from the device");
    return host;
  }
  std::vector<std::uint8_t> read() const { return read(bytes_); }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace whybits::gpu
