// One layer's operands on the device, and what multiplies them: how long it takes, and its bits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/cublaslt/heuristics.hpp"
#include "gpu/launch_params.hpp"

namespace whybits::gpu {

/// Puts one product of all m rows on the bench's stream and does not wait. Weights lie in several
/// copies, more than the second-level cache holds; `turn` chooses one.
using TimedLaunch = std::function<void(std::uint64_t turn)>;

class Bench {
 public:
  /// Words of bf16: a is most_m×k, b is n×k. Errors: CudaError, CublasltError.
  Bench(const Shape& largest, std::span<const std::uint8_t> a, std::span<const std::uint8_t> b);
  ~Bench();
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  std::uint64_t multiprocessors() const;
  std::string device() const;
  std::string library_version() const;

  /// First proposals with 32 MiB of workspace, and with none: the latter may not split K.
  std::vector<Proposal> proposals(std::uint64_t m, bool split, int count) const;

  TimedLaunch cublaslt(std::uint64_t m, const Proposal& proposal);
  TimedLaunch fixed(std::uint64_t m, const LaunchParams& params);
  /// wgmma.gemm on one block a multiprocessor, unsplit, the same tiles at every m.
  TimedLaunch persistent(std::uint64_t m);

  /// Microseconds of a launch: the median of graphs of several launches, one after the other.
  double time(std::uint64_t m, const TimedLaunch& launch);
  /// Row 0 of one launch, bf16; poisoned before.
  std::vector<std::uint8_t> row(const TimedLaunch& launch);
  /// Keeps all outputs of a launch of most_m rows.
  void keep(const TimedLaunch& launch);
  /// Outputs of a launch of m rows, all of them, that differ from those kept; poisoned before.
  std::uint64_t differ(std::uint64_t m, const TimedLaunch& launch);
  /// Row 0 as f32 sums of `splits` slices in whole 64 addends (wgmma.gemm), without the last
  /// rounding.
  std::vector<std::uint8_t> sums(std::uint64_t splits);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace whybits::gpu
