#include "sim/builders/torch_sum.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "sim/builders/f32_orders.hpp"
#include "sim/ceil_div.hpp"

namespace whybits {
namespace {

constexpr std::uint64_t most_threads = 512;
constexpr std::uint64_t unvectorised_accumulators = 4;

std::uint64_t power_below(std::uint64_t n) {
  return std::min(std::bit_floor(n), most_threads);
}

SchemaPtr f32_fold(Start start = Start::automatic) {
  return schema(Fold{f32_add(), start});
}

}  // namespace

TorchSumLaunch torch_sum_launch(const TorchSum& config) {
  const std::uint64_t n = config.length;
  for (const auto& [field, value] :
       {std::pair{"rows", config.rows}, {"length", n}, {"sms", config.sms}})
    if (value == 0) throw ConfigurationError(field, value, "must be at least 1");
  const bool halfwidth = config.type == formats::bf16 || config.type == formats::f16;
  if (!halfwidth && config.type != formats::f32)
    throw ConfigurationError("type = " + format_name(config.type) +
                             ": known are f32, bf16 and f16");
  TorchSumLaunch launch;
  if (n > 128) launch.vector = halfwidth ? 8 : 4;
  if (n % launch.vector != 0)
    throw ConfigurationError("length", n,
                             "above 128, only multiples of " + std::to_string(launch.vector) +
                                 " are known for " + format_name(config.type) +
                                 ": at other lengths rows begin misaligned, and how a thread adds "
                                 "what precedes the first and follows the last aligned vector has "
                                 "not been measured");
  const std::uint64_t loads = n / launch.vector;
  launch.width = std::min<std::uint64_t>(power_below(loads), 32);
  launch.height = std::min(power_below(config.rows), most_threads / launch.width);
  launch.width = std::min(power_below(loads), most_threads / launch.height);
  std::uint64_t per_thread = ceil_div(n, launch.width);
  launch.split_height = per_thread >= std::min<std::uint64_t>(16 * launch.height, 256);
  if (!launch.split_height) return launch;
  per_thread = ceil_div(n, launch.width * launch.height);
  const std::uint64_t resident = config.sms * (2048 / most_threads);
  if (per_thread >= 256 && config.rows <= resident)
    launch.ctas = std::max(std::min(ceil_div(resident, config.rows), ceil_div(per_thread, 16)),
                           ceil_div(per_thread, 256));
  return launch;
}

SchemaPtr torch_row_sum(const TorchSum& config) {
  const TorchSumLaunch launch = torch_sum_launch(config);
  // A block of threads: along the row first, then the rows of threads.
  SchemaPtr merge = f32_halves();
  std::uint64_t threads = launch.width;
  if (launch.split_height && launch.height > 1) {
    merge = schema(Slices{launch.width, merge, f32_halves()});
    threads *= launch.height;
  }
  if (launch.ctas > 1) {
    // The last block puts partial i on thread i, folding what is beyond, and halves over rows of
    // threads first: together far first over all of them.
    const SchemaPtr all = launch.ctas <= threads
                              ? f32_halves()
                              : schema(Lanes{threads, 1, f32_fold(Start::zero), f32_halves()});
    merge = schema(Slices{threads, merge, all});
  }
  const bool vectorised = launch.vector > 1;
  const SchemaPtr thread = schema(Lanes{vectorised ? launch.vector : unvectorised_accumulators, 1,
                                        f32_fold(Start::zero), f32_fold()});
  const SchemaPtr sum = schema(Lanes{threads * launch.ctas, launch.vector, thread, merge});
  return config.type == formats::f32 || !config.rounded
             ? sum
             : schema(RoundTo{sum, Conversion{config.type, {}}});
}

}  // namespace whybits
