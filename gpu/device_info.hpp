#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace whybits::gpu {

/// One CUDA device as the runtime describes it.
struct GpuDevice {
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  int sm_count = 0;
  std::size_t memory_bytes = 0;
};

/// What this build and this machine can do. No GPU is a normal state, not an error.
struct GpuReport {
  bool built = false;              ///< compiled with CUDA
  std::string driver_version;      ///< newest CUDA version the driver supports; empty without one
  std::string runtime_version;     ///< CUDA version of the linked runtime; empty without CUDA
  std::vector<GpuDevice> devices;  ///< empty when there is none or none can be used
  std::string reason;              ///< why devices is empty; empty otherwise
};

/// Asks the CUDA runtime for its devices. Never throws for a missing driver or device.
GpuReport query_gpus();

}  // namespace whybits::gpu
