// torch.sum over the last, contiguous dimension, as PyTorch 2.11 runs it on CUDA.
//
// Orders and launch rules of aten/src/ATen/native/cuda/Reduce.cuh, recorded on an H200
// (tests/recordings/operations/torch-sum.json). The number of rows decides the block's shape, so
// that a row's bits depend on the batch.
#pragma once

#include <cstdint>

#include "sim/builders/configuration_error.hpp"
#include "sim/schema.hpp"

namespace whybits {

struct TorchSum {
  std::uint64_t rows = 1;
  std::uint64_t length = 1;    ///< of a row
  Format type = formats::f32;  ///< f32, bf16 or f16; sums are f32, rounded once
  std::uint64_t sms = 132;
  bool rounded = true;  ///< to the type; false: the f32 sum (dtype=torch.float32), the same launch
};

/// What the launch is made of.
struct TorchSumLaunch {
  std::uint64_t vector = 1;  ///< addends that a thread loads at once, each into its own accumulator
  std::uint64_t width = 1;   ///< threads of a block along the row
  std::uint64_t height = 1;  ///< rows of threads
  bool split_height = false;  ///< these share a row, too; else each has its own
  std::uint64_t ctas = 1;     ///< blocks that share a row
};
/// Errors: ConfigurationError.
TorchSumLaunch torch_sum_launch(const TorchSum& config);

/// The topology of every row. Errors: ConfigurationError, also for rows of more than 128 that are
/// no multiple of the vector: their misaligned heads and tails are not known.
SchemaPtr torch_row_sum(const TorchSum& config);

}  // namespace whybits
