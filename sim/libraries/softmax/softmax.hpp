// softmax and log_softmax of the rows of a matrix, as PyTorch, vLLM and Triton run them:
//   y = exp(x − max) / Σ exp(x − max)    and    y = (x − max) − log Σ exp(x − max).
//
// A maximum has no order. The sum has one, and the kernels differ in nothing else. torch.softmax
// has three: one warp (up to 2048 elements), threads that keep their elements, threads that load
// vectors. None of them depends on other rows. Composed of eager operations the sum is torch.sum's,
// whose block follows the number of rows. Sources: PyTorch 2.11,
// aten/src/ATen/native/cuda/{SoftMax.cu, PersistentSoftmax.cuh}; vLLM's batch-invariant mode
// (docs/sources.md).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sim/builders/configuration_error.hpp"
#include "sim/libraries/element_functions.hpp"
#include "sim/recipe.hpp"

namespace whybits {

/// A row of the table of kernels.
struct SoftmaxKernel {
  enum class Sum : std::uint8_t {
    torch,     ///< torch.softmax: the length of a row chooses one of three orders
    composed,  ///< torch.sum of rows already exponentiated; the number of rows chooses
    triton     ///< blocks of 1024, one after the other, 128 threads
  };

  std::string_view name;
  Sum sum;
  bool softmax, log_softmax;  ///< which of the two it has
  bool tree_in_thread;        ///< Triton: a thread adds its elements as a tree (since January 2026)
  std::string_view what;
};

/// All that are known, in the order of the documentation.
std::span<const SoftmaxKernel> softmax_kernels();
/// Null if there is none of that name.
const SoftmaxKernel* find_softmax_kernel(std::string_view name);

struct SoftmaxConfig {
  SoftmaxKernel kernel;
  std::uint64_t rows = 1;      ///< of the launch
  std::uint64_t columns = 1;   ///< V, elements of a row
  Format type = formats::f32;  ///< of x and y: f32, f16 or bf16; what lies between is f32
  bool log = false;            ///< log_softmax
};

/// How a row's exponentials are added.
struct SoftmaxOrder {
  std::string_view regime;    ///< "one warp", "in registers", …
  std::uint64_t threads = 1;  ///< that share a row
  std::uint64_t vector = 1;   ///< elements that a thread loads at once
  SchemaPtr sum;              ///< over the V exponentials
  std::string_view evidence;
};
/// Errors: ConfigurationError for no rows or columns, other types, a kernel without the function
/// that is asked for, and rows of torch.softmax that begin misaligned.
SoftmaxOrder softmax_order(const SoftmaxConfig& config);

/// Input x (rows×V). Tensors on the way: max and sum (rows×1), y (rows×V). A row with a NaN or with
/// +infinity, or of −infinities alone, gives NaN.
Recipe softmax_recipe(const SoftmaxConfig& config, const SoftmaxOrder& order,
                      const ElementFunctions& functions);

}  // namespace whybits
