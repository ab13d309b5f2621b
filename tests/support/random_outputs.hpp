// Matrices of outputs that share a random reduction: its operands in the first output, others of
// every kind in the rest.
#pragma once

#include "sim/fast/lane_operands.hpp"
#include "tests/support/random_reduction.hpp"

namespace whybits::test {

struct OutputGrid {
  std::uint64_t rows = 1;
  std::uint64_t columns = 1;
};

fast::LaneOperands random_outputs(Random& random, const NaiveLeaves& leaves,
                                  const OutputGrid& grid);

}  // namespace whybits::test
