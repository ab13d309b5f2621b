// Sums by one block of threads: each thread folds its addends, warps shuffle, warps' totals meet.
//
// Orders of the sources of CUB, Triton and PyTorch; docs/sources.md names the files and says what
// was measured. This project's recordings have none of them so far.
#pragma once

#include <cstdint>

#include "sim/builders/configuration_error.hpp"
#include "sim/schema.hpp"

namespace whybits {

/// How the 32 lanes of a warp become one.
enum class WarpOrder : std::uint8_t {
  down,  ///< distance 16, 8, 4, 2, 1: Triton, PyTorch since October 2025, butterflies
  up     ///< distance 1, 2, 4, 8, 16, lanes beyond the last left out: CUB
};
/// How the warps' totals become one.
enum class WarpTotals : std::uint8_t {
  fold,   ///< by one thread, ascending: CUB
  halves  ///< by a warp again, far first: Triton, PyTorch
};

/// 32 values by shuffles, f32.
SchemaPtr warp_sum(WarpOrder order);

/// Thread t takes vectors t, t + threads, … of `vector` addends, ascending, into one accumulator
/// that begins at +0.
struct BlockSum {
  std::uint64_t threads = 256;
  std::uint64_t vector = 1;
  Unit unit = ieee_add(formats::f32);  ///< of the threads: f32, or f32.fma for sums of products
  WarpOrder warp = WarpOrder::up;
  WarpTotals totals = WarpTotals::fold;
};
/// Errors: ConfigurationError.
SchemaPtr block_sum(const BlockSum& config);

/// tl.sum of a row in blocks, as a Triton kernel writes it: total = 0; total += tl.sum(block).
/// Thread t holds elements t·run … of the block, again every threads·run.
struct TritonSum {
  /// In a thread: left fold up to Triton 3.6, a tree over neighbours since (triton#9220).
  enum class InThread : std::uint8_t { fold, tree };

  std::uint64_t block = 1024;
  std::uint64_t warps = 4;
  std::uint64_t run = 4;  ///< consecutive elements of a thread: 4 of f32, 8 of 16-bit types
  InThread in_thread = InThread::fold;
};
/// Powers of two, block ≥ 32 · warps · run. Errors: ConfigurationError.
SchemaPtr triton_row_sum(const TritonSum& config);

}  // namespace whybits
