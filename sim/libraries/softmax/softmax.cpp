#include "sim/libraries/softmax/softmax.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "sim/builders/block_sum.hpp"
#include "sim/builders/f32_orders.hpp"
#include "sim/builders/torch_sum.hpp"
#include "sim/libraries/evidence.hpp"

namespace whybits {
namespace {

using Sum = SoftmaxKernel::Sum;

constexpr std::array softmax_table{
    SoftmaxKernel{"torch", Sum::torch, true, true, false, "PyTorch 2.11, torch.softmax"},
    SoftmaxKernel{"composed", Sum::composed, true, false, false,
                  "max, subtraction, exp, torch.sum and division, as vLLM's batch-invariant mode"},
    SoftmaxKernel{"triton", Sum::triton, false, true, true,
                  "vLLM's batch-invariant log_softmax, Triton since January 2026"},
    SoftmaxKernel{"triton-3.6", Sum::triton, false, true, false, "the same up to Triton 3.6"}};

constexpr std::uint64_t block = 1024;             ///< threads
constexpr std::uint64_t longest_of_warp = 2048;   ///< elements of a row that one warp takes
constexpr std::uint64_t most_kept = 9;            ///< elements that a thread keeps in registers
constexpr std::uint64_t shared_bytes = 48 << 10;  ///< of a block, warps' totals included

/// Threads of a block, then the lanes of each warp far first, then the warps' totals alike.
SchemaPtr by_block(std::uint64_t vector, std::uint64_t rest = 0) {
  return schema(Lanes{block, vector, schema(Fold{f32_add(), Start::zero}),
                      schema(Slices{32, f32_halves(), f32_halves()}), rest});
}

SoftmaxOrder torch(const SoftmaxConfig& config) {
  const std::uint64_t n = config.columns;
  if (n <= longest_of_warp) {
    const SchemaPtr fold = schema(Fold{f32_add(), Start::zero});
    return {"one warp", 32, 1, schema(Lanes{32, 1, fold, f32_halves()}), recorded_on_h200};
  }
  if (n <= most_kept * block) return {"in registers", block, 1, by_block(1), recorded_on_h200};
  const std::uint64_t bytes = config.type.word_bytes();
  const std::uint64_t vector = 16 / bytes;
  const std::uint64_t totals = block / 32 * 4;
  const bool aligned = n % vector == 0;
  if (!aligned && config.rows > 1)
    throw ConfigurationError(
        "columns", n,
        "above " + std::to_string(most_kept * block) + ", only multiples of " +
            std::to_string(vector) + " are known for several rows of " + format_name(config.type) +
            ": at other lengths each row begins at another place of its first vector");
  if (aligned && n < (shared_bytes - totals) / bytes)
    return {"in shared memory", block, vector, by_block(vector), recorded_on_h200};
  return {"in vectors", block, vector, by_block(vector, 1),
          aligned ? recorded_on_h200 : read_in_source};
}

SoftmaxOrder composed(const SoftmaxConfig& config) {
  const TorchSum sum{.rows = config.rows, .length = config.columns, .type = config.type};
  const TorchSumLaunch launch = torch_sum_launch(sum);
  const std::uint64_t threads =
      launch.width * (launch.split_height ? launch.height : 1) * launch.ctas;
  return {"torch.sum", threads, launch.vector, torch_row_sum(sum),
          "torch.sum as recorded on an H200"};
}

SoftmaxOrder triton(const SoftmaxConfig& config) {
  TritonSum sum;
  sum.run = 16 / config.type.word_bytes();
  sum.in_thread =
      config.kernel.tree_in_thread ? TritonSum::InThread::tree : TritonSum::InThread::fold;
  return {"in blocks", 32 * sum.warps, sum.run, triton_row_sum(sum), read_in_source};
}

}  // namespace

std::span<const SoftmaxKernel> softmax_kernels() {
  return softmax_table;
}

const SoftmaxKernel* find_softmax_kernel(std::string_view name) {
  const auto found = std::ranges::find(softmax_table, name, &SoftmaxKernel::name);
  return found == softmax_table.end() ? nullptr : &*found;
}

SoftmaxOrder softmax_order(const SoftmaxConfig& config) {
  if (config.rows == 0) throw ConfigurationError("rows", 0, "must be at least 1");
  if (config.columns == 0) throw ConfigurationError("columns", 0, "must be at least 1");
  if (config.type != formats::f32 && config.type != formats::f16 && config.type != formats::bf16)
    throw ConfigurationError("type = " + format_name(config.type) +
                             ": known are f32, f16 and bf16");
  if (!(config.log ? config.kernel.log_softmax : config.kernel.softmax))
    throw ConfigurationError(std::string(config.kernel.name) + " has no " +
                             (config.log ? "log_softmax" : "softmax") + ", only the other");
  switch (config.kernel.sum) {
    case Sum::composed:
      return composed(config);
    case Sum::triton:
      return triton(config);
    case Sum::torch:
      break;
  }
  return torch(config);
}

Recipe softmax_recipe(const SoftmaxConfig& config, const SoftmaxOrder& order,
                      const ElementFunctions& functions) {
  using namespace formats;
  Recipe recipe{{"x"}, {}, {"y"}};
  const auto step = [&](std::string name, auto work) {
    recipe.steps.push_back({{std::move(name)}, std::move(work)});
  };
  // An eager operation stores what it computed; inside of a kernel it stays f32.
  const bool narrow = config.type != f32;
  const bool stored = narrow && config.kernel.sum == Sum::composed;
  const auto value = [&](const std::string& name, Map map, bool rounded) {
    if (!rounded) return step(name, std::move(map));
    step(name + "_f32", std::move(map));
    step(name, Map{operations::convert(f32, {config.type, {}}), {name + "_f32"}});
  };
  step("max", Reduce{.by = operations::max(config.type), .a = "x"});
  value("below", Map{operations::sub(f32), {"x", "max"}}, stored);
  value("e", Map{functions.exp, {"below"}}, stored);
  step("sum", Reduce{.by = order.sum, .a = "e"});
  if (!config.log) {
    value("y", Map{operations::div(f32), {"e", "sum"}}, narrow);
    return recipe;
  }
  step("log_sum", Map{functions.log, {"sum"}});
  value("y", Map{operations::sub(f32), {"below", "log_sum"}}, narrow);
  return recipe;
}

}  // namespace whybits
