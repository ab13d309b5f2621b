#include "gpu/device_info.hpp"
#include "tests/support/catch.hpp"

using whybits::gpu::GpuReport;
using whybits::gpu::query_gpus;

TEST_CASE("a machine without devices says why") {
  const GpuReport report = query_gpus();
  CAPTURE(report.built, report.reason, report.devices.size());
  CHECK(report.devices.empty() == !report.reason.empty());
}

TEST_CASE("the build says whether it has CUDA") {
  const GpuReport report = query_gpus();
  CHECK(report.built == !report.runtime_version.empty());
  CHECK(report.built == (report.reason != "built without CUDA"));
}

TEST_CASE("devices are described in full") {
  for (const auto& device : query_gpus().devices) {
    CAPTURE(device.name);
    CHECK_FALSE(device.name.empty());
    CHECK(device.compute_major >= 7);
    CHECK(device.sm_count > 0);
    CHECK(device.memory_bytes > 0);
  }
}
