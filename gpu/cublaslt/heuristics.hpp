// cuBLASLt's heuristics: which algorithms it proposes for a problem, with all that it reports.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/libraries/cublaslt/problem.hpp"

struct CUstream_st;  // what a cudaStream_t points to

namespace whybits::gpu {

/// What the library answered with another status than success, or that there is no GPU.
class CublasltError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Proposal {
  cublaslt::Algorithm algorithm;
  std::uint64_t workspace_bytes = 0;
  float waves = 0;
  std::uint64_t numerical_flags = 0;  ///< CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS
  /// The library's own description of the algorithm, to run it.
  std::vector<std::uint64_t> opaque;
};

/// Storage words in the device's memory.
class DeviceWords {
 public:
  /// Errors: CublasltError.
  explicit DeviceWords(const std::vector<std::uint8_t>& words);
  ~DeviceWords();
  DeviceWords(const DeviceWords&) = delete;
  DeviceWords& operator=(const DeviceWords&) = delete;
  const void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

/// A handle of the library on the current device.
class Cublaslt {
 public:
  /// Errors: CublasltError without a GPU or the library.
  Cublaslt();
  ~Cublaslt();
  Cublaslt(const Cublaslt&) = delete;
  Cublaslt& operator=(const Cublaslt&) = delete;

  std::string version() const;  ///< "13.1.0"

  /// At most `count` proposals, the best first; none where the library supports none. Row-major
  /// matrices without padding; alignment of 256 bytes, as cudaMalloc gives. Errors: CublasltError.
  std::vector<Proposal> proposals(const cublaslt::Problem& problem, std::uint64_t workspace_bytes,
                                  int count) const;

  /// Puts a proposal's kernels on a stream. All pointers are to device memory: operands as below,
  /// m×n of output, proposal.workspace_bytes of workspace. Errors: CublasltError.
  void launch(const cublaslt::Problem& problem, const Proposal& proposal, const void* a,
              const void* b, void* out, void* workspace, CUstream_st* stream) const;

  /// Runs a proposal on operands in storage words as the library sees them (`a` m×k, `b` k×n or
  /// n×k). Returns the first `rows` rows of the output in storage words. Errors: CublasltError.
  std::vector<std::uint8_t> run(const cublaslt::Problem& problem, const Proposal& proposal,
                                const DeviceWords& a, const DeviceWords& b,
                                std::uint64_t rows) const;

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace whybits::gpu
