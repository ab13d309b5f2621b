// Real all-reduces: one process drives n GPUs of this machine through NCCL, whose library is loaded
// at run time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/not_available.hpp"
#include "sim/format.hpp"

namespace whybits::gpu {

struct NcclCall {
  Format type = formats::f32;
  std::uint64_t count = 0;
  bool in_place = false;
};

/// Communicators of devices 0 … n − 1. NCCL reads NCCL_* variables when the first one is made in a
/// process, and keeps them: other settings need another process.
class NcclGroup {
 public:
  /// `library` is a file name as dlopen takes it. Errors: NotAvailable (too few GPUs, no library,
  /// no CUDA in this build), CudaError, std::runtime_error with NCCL's own message.
  explicit NcclGroup(int ranks, const std::string& library = "libnccl.so.2");
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;
  ~NcclGroup();

  std::string version() const;  ///< "2.28.3"
  /// Storage words of every rank's result, for those of every rank's input. Outputs are poisoned
  /// first. Errors: as above.
  std::vector<std::vector<std::uint8_t>> all_reduce(
      const NcclCall& call, std::span<const std::vector<std::uint8_t>> inputs);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace whybits::gpu
