// What a kernel of cuBLASLt does with k, from masked inputs (lab/reveal/pair_mask.hpp has the
// idea): a_i = +M, a_j = −M, units elsewhere, B all ones. Each output is the number of units that
// were added after the two cancelled. For a fixed i it tells which addends are near i in the tree.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/cublaslt/heuristics.hpp"

namespace whybits::gpu {

struct PairProbe {
  std::vector<std::uint64_t> firsts, seconds;   ///< k indices; equal ones are skipped
  std::uint64_t unit_step = 1;                  ///< units at its multiples, zeros elsewhere
  std::uint64_t row_step = 1, column_step = 1;  ///< outputs that are looked at
};

struct PairAnswers {
  /// Units counted, firsts outer, seconds inner, −1 for equal ones; one list for all outputs that
  /// answered alike.
  std::vector<std::vector<double>> answers;
  std::vector<std::vector<std::size_t>> outputs;  ///< [row][column]: index of their list
};

/// Runs the proposal firsts × seconds times. Errors: CublasltError.
PairAnswers probe_pairs(const Cublaslt& library, const cublaslt::Problem& problem,
                        const Proposal& proposal, const PairProbe& probe);

}  // namespace whybits::gpu
