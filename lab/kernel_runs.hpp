// Runs kernels of this project on the GPU here and now: recordings, sweeps over settings, and the
// results of an undefined order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/run_kernel.hpp"
#include "lab/kernel_request.hpp"
#include "lab/verify.hpp"

namespace whybits {

/// One set of operands on the device, for any number of settings of one kernel.
class LiveKernel {
 public:
  /// Errors: UsageError, gpu::NotAvailable, gpu::CudaError (a std::runtime_error).
  explicit LiveKernel(const KernelRequest& request);

  /// Runs and checks that every output was written and every knob was in force. Errors: as above,
  /// and gpu::ProbeError.
  gpu::KernelOutput run(const gpu::LaunchParams& params);
  const gpu::GpuEnvironment& environment() const { return environment_; }
  std::string architecture() const;

 private:
  KernelRequest request_;
  gpu::GpuEnvironment environment_;
  std::unique_ptr<gpu::KernelRun> run_;
};

/// Runs the kernel once and says what came out, with provenance. `command` is how to do it again.
Recording record_kernel(const KernelRequest& request, const std::string& command);

/// The words of the rows that a recording keeps, out of the whole output.
std::vector<std::uint8_t> kept_words(const Recording& recording,
                                     const std::vector<std::uint8_t>& whole);

}  // namespace whybits
