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

/// What a proposal may use.
struct Preferences {
  std::uint64_t workspace_bytes = std::uint64_t{32} << 20;
  /// CUBLASLT_REDUCTION_SCHEME_*, one bit each: in place 1, compute type 2, output type 4. Kernels
  /// that do not split K need none of them.
  std::uint32_t reduction_schemes = 7;
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
  /// One word into every row of a matrix with rows of `pitch` bytes. Errors: CublasltError.
  void write_column(std::uint64_t offset, std::uint64_t pitch, std::uint64_t rows,
                    const std::vector<std::uint8_t>& word);

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
  std::vector<Proposal> proposals(const cublaslt::Problem& problem, const Preferences& preferences,
                                  int count) const;

  /// Puts a proposal's kernels on a stream. All pointers are to device memory: operands as below,
  /// m×n of output, proposal.workspace_bytes of workspace. Errors: CublasltError.
  void launch(const cublaslt::Problem& problem, const Proposal& proposal, const void* a,
              const void* b, void* out, void* workspace, CUstream_st* stream) const;

 private:
  friend class PreparedProduct;
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

/// Operands in storage words as the library sees them: `a` m×k, `b` k×n or n×k, `bias` n words of
/// the output's format or null. Borrowed.
struct DeviceOperands {
  const DeviceWords* a = nullptr;
  const DeviceWords* b = nullptr;
  const DeviceWords* bias = nullptr;
};

/// A proposal with its output and workspace on the device: runs any number of times.
class PreparedProduct {
 public:
  /// Errors: CublasltError.
  PreparedProduct(const Cublaslt& library, const cublaslt::Problem& problem,
                  const Proposal& proposal, const DeviceOperands& operands);
  ~PreparedProduct();
  PreparedProduct(const PreparedProduct&) = delete;
  PreparedProduct& operator=(const PreparedProduct&) = delete;

  /// The output is poisoned with NaN before. Errors: CublasltError.
  void run();
  /// Rows 0, step, 2·step, … of the output in storage words. Errors: CublasltError.
  std::vector<std::uint8_t> rows(std::uint64_t step, std::uint64_t count) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace whybits::gpu
