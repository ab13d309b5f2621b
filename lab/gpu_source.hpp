// What a recording made on this machine says of where it comes from.
#pragma once

#include <map>
#include <string>

#include "gpu/run_kernel.hpp"

namespace whybits {

/// Device, compute capability, driver, CUDA, today's date and the command.
std::map<std::string, std::string> gpu_source(const gpu::GpuEnvironment& gpu,
                                              const std::string& command);

/// The same of a kernel of this project: with its compiler.
std::map<std::string, std::string> compiled_source(const gpu::GpuEnvironment& gpu,
                                                   const std::string& command);

}  // namespace whybits
