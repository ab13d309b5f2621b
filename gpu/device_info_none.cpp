#include "gpu/device_info.hpp"

namespace whybits::gpu {

GpuReport query_gpus() {
  GpuReport report;
  report.reason = "built without CUDA";
  return report;
}

}  // namespace whybits::gpu
