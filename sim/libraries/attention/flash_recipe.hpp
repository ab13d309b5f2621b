// The recipe of FlashAttention's forward pass for some queries of one head.
#pragma once

#include "sim/libraries/attention/flash.hpp"
#include "sim/tensor.hpp"

namespace whybits {

/// One split of the keys, as inputs of the recipe: "k0" and "v0" (keys×D), "first0" and "rest0"
/// (keys×4), which tell the columns of the four threads of a row apart, and for causal launches
/// "mask0" (queries×keys, f32: 0 or −infinity).
struct FlashSplit {
  std::uint64_t begin = 0, end = 0;  ///< keys
};
/// The splits that hold some of the first `keys` keys.
std::vector<FlashSplit> flash_split_ranges(const FlashPlan& plan, std::uint64_t keys);

/// Inputs q (queries×D) and those of every split. Tensors on the way: lse (queries×1, f32: the
/// logarithm of the sum of exponentials), y (queries×D). Of a row without a key to look at, or with
/// −infinities alone, y is 0 and lse +infinity. `scale` is an f32 code, as 1/√D.
Recipe flash_recipe(const FlashPlan& plan, std::size_t splits, Bits scale,
                    const ElementFunctions& functions);

/// The columns of a block as the four threads of a row own them: thread t has columns 2t and 2t+1
/// of every eight. `first`: 1 where a thread's first column of the block is; `rest`: 1 at its
/// others.
std::vector<Bits> flash_columns(const FlashPlan& plan, std::uint64_t keys, bool first);

}  // namespace whybits
