// Runs a row of the kernel table on the GPU of this machine.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/kernel_table.hpp"
#include "gpu/kernels/gemm_args.hpp"
#include "gpu/not_available.hpp"

namespace whybits::gpu {

/// Storage words, little endian: a is m×k; b is n×k, the transpose of the logical matrix, so that k
/// is contiguous in both. Row sums have no b.
struct OperandWords {
  std::vector<std::uint8_t> a, b;
};

struct KernelOutput {
  std::vector<std::uint8_t> words;  ///< out[m][n]
  std::vector<ProbeRecord> probe;   ///< if asked for; row sums have none
  std::uint64_t unwritten = 0;      ///< outputs that still hold the poison
};

/// What a recording says of where it was made.
struct GpuEnvironment {
  std::string device, driver, runtime, compiler;
  int major = 0, minor = 0;
};
/// Of device 0. Errors: NotAvailable.
GpuEnvironment gpu_environment();

/// Operands on the device, for one run or many.
class KernelRun {
 public:
  /// Errors: ConfigurationError, NotAvailable (no GPU, no CUDA in this build, another compute
  /// capability), CudaError.
  KernelRun(const Kernel& kernel, const Shape& shape, const OperandWords& operands,
            std::uint64_t element_bytes);
  KernelRun(const KernelRun&) = delete;
  KernelRun& operator=(const KernelRun&) = delete;
  KernelRun(KernelRun&&) noexcept;
  KernelRun& operator=(KernelRun&&) noexcept;
  ~KernelRun();

  /// Outputs are poisoned before the kernel starts, except where atomics add to −0.
  /// Errors: as above.
  KernelOutput run(const LaunchParams& params, bool probe);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace whybits::gpu
