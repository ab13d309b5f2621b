#include "lab/gpu_source.hpp"

#include <fmt/format.h>

#include "lab/recording.hpp"

namespace whybits {

std::map<std::string, std::string> gpu_source(const gpu::GpuEnvironment& gpu,
                                              const std::string& command) {
  return {
      {"device", gpu.device}, {"compute_capability", fmt::format("{}.{}", gpu.major, gpu.minor)},
      {"driver", gpu.driver}, {"cuda", gpu.runtime},
      {"date", utc_date()},   {"command", command}};
}

std::map<std::string, std::string> compiled_source(const gpu::GpuEnvironment& gpu,
                                                   const std::string& command) {
  std::map<std::string, std::string> source = gpu_source(gpu, command);
  source["compiler"] = gpu.compiler;
  return source;
}

}  // namespace whybits
