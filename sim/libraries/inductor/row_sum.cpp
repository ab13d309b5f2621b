#include "sim/libraries/inductor/row_sum.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/builders/f32_orders.hpp"
#include "sim/ceil_div.hpp"
#include "sim/plural.hpp"

namespace whybits {
namespace {

constexpr std::uint64_t step = 2048;         ///< elements of a loop's step
constexpr std::uint64_t all_at_once = 1024;  ///< at most so many elements need no loop
constexpr std::uint64_t threads = 256;       ///< that the rule of splits reckons with
constexpr std::uint64_t sm_threads = 2048;
constexpr std::uint64_t fewest = 32, most = 512;  ///< elements of a thread in a split

std::uint64_t distance(std::uint64_t a, std::uint64_t b) {
  return a < b ? b - a : a - b;
}

/// The divisor of n that is nearest to `wanted`, the smaller one of two.
std::uint64_t nearest_divisor(std::uint64_t n, std::uint64_t wanted) {
  std::uint64_t best = 1;
  const auto offer = [&](std::uint64_t divisor) {
    const std::uint64_t far = distance(divisor, wanted), least = distance(best, wanted);
    if (far < least || (far == least && divisor < best)) best = divisor;
  };
  for (std::uint64_t d = 1; d <= n / d; ++d)
    if (n % d == 0) {
      offer(d);
      offer(n / d);
    }
  return best;
}

/// Elements of a thread in a split.
std::uint64_t thread_elements(const InductorSum& c) {
  const std::uint64_t elements = c.rows * c.length;
  if (elements <= fewest * c.sms * sm_threads) return fewest;
  if (elements < most * c.sms * sm_threads) {
    const std::uint64_t blocks = ceil_div(c.sms * sm_threads / (2 * threads), c.rows);
    const std::uint64_t wanted = ceil_div(c.length, threads * blocks);
    const std::uint64_t even = nearest_divisor(c.length, wanted);
    return distance(even, wanted) < 30 ? std::max(even, fewest) : wanted;
  }
  const std::uint64_t even = nearest_divisor(c.length, most);
  return distance(even, most) < 50 ? even : most;
}

/// The threads' sums of a row: of a warp first, then the warps'.
SchemaPtr across(std::uint64_t warps, std::uint64_t run, SchemaPtr own) {
  SchemaPtr merge = warps == 1 ? f32_halves() : schema(Slices{32, f32_halves(), f32_halves()});
  return schema(Lanes{32 * warps, run, std::move(own), std::move(merge)});
}

}  // namespace

std::uint64_t inductor_splits(const InductorSum& config) {
  if (config.rows >= 2 * config.sms || config.length <= 8192) return 1;
  return ceil_div(config.length, threads * thread_elements(config));
}

InductorLaunch inductor_launch(const InductorSum& config) {
  if (config.rows == 0) throw ConfigurationError("rows", 0, "must be at least 1");
  if (config.type != formats::f32 && config.type != formats::f16 && config.type != formats::bf16)
    throw ConfigurationError("type = " + format_name(config.type) +
                             ": known are f32, f16 and bf16");
  if (config.length != all_at_once && config.length < step)
    throw ConfigurationError(
        "length", config.length,
        "of TorchInductor's kernels those of 1024 elements, and of 2048 or more, are known");
  InductorLaunch launch;
  launch.splits = inductor_splits(config);
  if (launch.splits > 2)
    throw ConfigurationError(
        "length", config.length,
        "is cut over " + std::to_string(launch.splits) + " blocks at " +
            counted_plainly(config.rows, "row") +
            "; how the sums of more than two are added is chosen by timing the kernel, and is not "
            "known from the shape (lengths up to 16384, or launches of at least " +
            counted_plainly(2 * config.sms, "row") + ", are)");
  if (config.length % launch.splits != 0)
    throw ConfigurationError("length", config.length,
                             "is cut into blocks of unequal length, whose order is not known");
  if (config.length / launch.splits % 4 != 0)
    throw ConfigurationError("length", config.length,
                             "is cut into blocks of a length that is no multiple of 4, whose order "
                             "is not known");
  launch.loops = config.length > all_at_once;
  if (!launch.loops) {
    const bool many = config.rows > 512;  // a warp a row
    launch.warps = many ? 1 : 8;
    launch.run = many ? 16 / config.type.word_bytes() : 4;
  } else if (config.length == step && config.type != formats::f32) {  // two rows of a block
    launch.warps = 8;
    launch.run = 8;
  }
  return launch;
}

SchemaPtr inductor_row_sum(const InductorLaunch& launch, std::uint64_t length, const Unit& unit) {
  if (!launch.loops) return across(launch.warps, launch.run, schema(Fold{unit}));
  SchemaPtr block = schema(Lanes{step, 1, schema(Fold{unit, Start::zero}),
                                 across(launch.warps, launch.run, schema(Fold{f32_add()}))});
  if (launch.splits == 1) return block;
  return schema(Slices{length / launch.splits, std::move(block), schema(Fold{f32_add()})});
}

}  // namespace whybits
