#include <cuda_runtime.h>

#include "gpu/device_info.hpp"

namespace whybits::gpu {
namespace {

std::string dotted(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

GpuDevice describe(const cudaDeviceProp& properties) {
  GpuDevice device;
  device.name = properties.name;
  device.compute_major = properties.major;
  device.compute_minor = properties.minor;
  device.sm_count = properties.multiProcessorCount;
  device.memory_bytes = properties.totalGlobalMem;
  return device;
}

/// The runtime says "insufficient driver" also where there is none.
std::string why_none(cudaError_t error, const GpuReport& report) {
  if (error != cudaErrorInsufficientDriver) return cudaGetErrorString(error);
  if (report.driver_version.empty()) {
    return "no NVIDIA driver was found; on a machine with an NVIDIA GPU, install one and see that "
           "nvidia-smi lists the GPU";
  }
  return "the NVIDIA driver knows CUDA " + report.driver_version + ", but this program has CUDA " +
         report.runtime_version + ": update the driver";
}

}  // namespace

GpuReport query_gpus() {
  GpuReport report;
  report.built = true;
  int version = 0;
  if (cudaRuntimeGetVersion(&version) == cudaSuccess) report.runtime_version = dotted(version);
  version = 0;
  if (cudaDriverGetVersion(&version) == cudaSuccess && version > 0) {
    report.driver_version = dotted(version);
  }

  int count = 0;  // left unwritten by the runtime when there is no driver
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) {
    report.reason = why_none(error, report);
    return report;
  }
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    if (const cudaError_t error = cudaGetDeviceProperties(&properties, i); error == cudaSuccess) {
      report.devices.push_back(describe(properties));
    } else {
      report.reason = cudaGetErrorString(error);
    }
  }
  if (!report.devices.empty()) {
    report.reason.clear();
  } else if (report.reason.empty()) {
    report.reason = "no CUDA device";
  }
  return report;
}

}  // namespace whybits::gpu
