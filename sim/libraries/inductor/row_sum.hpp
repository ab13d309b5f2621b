// Sums of rows as torch.compile's TorchInductor writes them in Triton: the kernel's loop, the
// threads of a row, and the cut of long rows over blocks.
//
// The cut depends on the rows of the launch that was compiled: below 264 rows of more than 8192
// elements a row goes to several blocks, whose sums a second kernel adds. Where there are more than
// two of them, that kernel's threads are chosen by timing it, so that two compilations can add them
// in two orders. Sources: PyTorch 2.11, torch/_inductor/choices.py (reduction_split_factor) and
// runtime/triton_heuristics.py; Triton 3.6 for a block's sum; sums
// were recorded on an H200 (docs/norms.md).
#pragma once

#include <cstdint>

#include "sim/builders/configuration_error.hpp"
#include "sim/schema.hpp"

namespace whybits {

struct InductorSum {
  std::uint64_t rows = 1;      ///< of the launch that is compiled
  std::uint64_t length = 1;    ///< of a row
  Format type = formats::f32;  ///< of the elements: f32, f16 or bf16
  std::uint64_t sms = 132;
};

/// Blocks that a row is cut over, by the rule in source; 1: not cut. O(√length).
std::uint64_t inductor_splits(const InductorSum& config);

/// How the elements of a row, or of a split of it, are dealt.
struct InductorLaunch {
  std::uint64_t splits = 1;
  bool loops = true;         ///< steps of 2048 elements, an accumulator each; else all at once
  std::uint64_t warps = 16;  ///< of a row
  std::uint64_t run = 4;     ///< consecutive elements of a thread
};
/// Errors: ConfigurationError for empty launches, other types, and what is not known: rows of
/// other than 1024 elements below 2048, splits of unequal length or of no multiple of 4, rows cut
/// over more than two blocks.
InductorLaunch inductor_launch(const InductorSum& config);

/// `unit` of the additions of a thread's elements: f32, or f32.fma for sums of products.
SchemaPtr inductor_row_sum(const InductorLaunch& launch, std::uint64_t length, const Unit& unit);

}  // namespace whybits
