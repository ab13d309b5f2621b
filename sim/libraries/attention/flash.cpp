#include "sim/libraries/attention/flash.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "sim/ceil_div.hpp"

namespace whybits {
namespace {

constexpr std::array kernels{
    FlashKernel{"torch", "sm90.mma", false,
                "FlashAttention-2 of PyTorch 2.11, recorded on an H200"},
    FlashKernel{"fa3", "sm90.wgmma", true, "FlashAttention-3, read in source, not measured"}};

constexpr std::uint64_t processors = 132;
constexpr std::uint64_t query_block = 64;      ///< rows of the split kernel's tile
constexpr std::uint64_t diagonal_block = 128;  ///< rows of the unsplit kernel's tile

struct HeadSize {
  std::uint64_t size;
  std::uint64_t split_block;  ///< keys of a step of FlashAttention-2's split kernel
  std::uint64_t block;        ///< of its unsplit kernel
  std::uint64_t fa3_block, fa3_causal_block;
};
constexpr std::array head_sizes{HeadSize{64, 256, 128, 192, 128}, HeadSize{96, 128, 64, 144, 144},
                                HeadSize{128, 128, 64, 176, 128}, HeadSize{256, 64, 64, 80, 80}};

const HeadSize& head_size(std::uint64_t size) {
  const auto found = std::ranges::find(head_sizes, size, &HeadSize::size);
  if (found == head_sizes.end())
    throw ConfigurationError("head size", size, "known are 64, 96, 128 and 256");
  return *found;
}

void check(const AttentionShape& s) {
  for (const auto& [field, value] : {std::pair{"batch", s.batch},
                                     {"heads", s.heads},
                                     {"kv heads", s.kv_heads},
                                     {"queries", s.queries},
                                     {"keys", s.keys}})
    if (value == 0) throw ConfigurationError(field, value, "must be at least 1");
  if (s.heads % s.kv_heads != 0)
    throw ConfigurationError(
        "heads", s.heads,
        "must be a multiple of the " + std::to_string(s.kv_heads) + " heads of keys and values");
  if (s.type != formats::bf16 && s.type != formats::f16)
    throw ConfigurationError("type = " + format_name(s.type) + ": known are bf16 and f16");
  if (s.causal && s.queries > 1 && s.queries != s.keys)
    throw ConfigurationError("queries", s.queries,
                             "a causal launch has as many queries as keys, or one; others were "
                             "not measured");
}

}  // namespace

std::span<const FlashKernel> flash_kernels() {
  return kernels;
}

const FlashKernel* find_flash_kernel(std::string_view name) {
  const auto found = std::ranges::find(kernels, name, &FlashKernel::name);
  return found == kernels.end() ? nullptr : &*found;
}

std::uint64_t flash_splits(std::uint64_t tiles, std::uint64_t sms, std::uint64_t blocks,
                           std::uint64_t most) {
  if (static_cast<float>(tiles) >= 0.8F * static_cast<float>(sms)) return 1;
  most = std::min({most, sms, blocks});
  const auto eligible = [&](std::uint64_t splits) {
    return splits == 1 || ceil_div(blocks, splits) != ceil_div(blocks, splits - 1);
  };
  std::vector<float> efficiency;
  for (std::uint64_t splits = 1; splits <= most; ++splits) {
    const float waves = static_cast<float>(tiles * splits) / static_cast<float>(sms);
    efficiency.push_back(eligible(splits) ? waves / std::ceil(waves) : 0.0F);
  }
  if (efficiency.empty()) return 1;
  const float best = *std::ranges::max_element(efficiency);
  for (std::uint64_t splits = 1; splits <= most; ++splits)
    if (eligible(splits) && efficiency[splits - 1] >= 0.85 * best) return splits;
  return 1;
}

FlashPlan flash_plan(const FlashKernel& kernel, const AttentionShape& shape,
                     const FlashWish& wish) {
  check(shape);
  const HeadSize& size = head_size(shape.head_size);
  if (wish.block % 16 != 0)
    throw ConfigurationError("block", wish.block, "must be a multiple of 16");
  if (wish.splits != 0 && wish.split_keys != 0)
    throw ConfigurationError("splits and split keys exclude each other");
  FlashPlan plan{kernel, shape};
  if (shape.queries == 1) plan.shape.causal = false;  // a last query sees every key
  const bool fa3 = kernel.fused_scores;
  const std::uint64_t group = shape.heads / shape.kv_heads;
  plan.grouped = shape.queries == 1 && group > 1;
  const std::uint64_t split_block = fa3 ? size.fa3_block : size.split_block;
  const std::uint64_t own_block =
      fa3 ? (plan.shape.causal ? size.fa3_causal_block : size.fa3_block) : size.block;
  if (wish.splits == 0 && wish.split_keys == 0 && !fa3) {
    const std::uint64_t tiles =
        plan.grouped ? shape.batch * shape.kv_heads * ceil_div(group, query_block)
                     : shape.batch * shape.heads * ceil_div(shape.queries, query_block);
    plan.splits = flash_splits(tiles, 2 * processors, ceil_div(shape.keys, split_block));
  } else if (wish.splits != 0) {
    plan.splits = wish.splits;
  }
  const bool splits = plan.splits > 1 || wish.split_keys != 0;
  plan.block = wish.block != 0 ? wish.block : splits ? split_block : own_block;
  const std::uint64_t blocks = ceil_div(shape.keys, plan.block);
  if (wish.split_keys != 0) {
    plan.split_keys = ceil_div(wish.split_keys, plan.block) * plan.block;
    plan.splits = ceil_div(shape.keys, plan.split_keys);
  } else {
    plan.split_keys = ceil_div(blocks, plan.splits) * plan.block;
  }
  return plan;
}

std::uint64_t FlashPlan::filled_splits() const {
  return ceil_div(shape.keys, split_keys);
}

std::uint64_t flash_keys(const FlashPlan& plan, std::uint64_t query) {
  const AttentionShape& s = plan.shape;
  if (!s.causal) return s.keys;
  const std::uint64_t rows = plan.splits > 1 ? query_block : diagonal_block;
  const std::uint64_t last = std::min((query / rows + 1) * rows, s.queries) + s.keys - s.queries;
  return std::min(s.keys, ceil_div(last, plan.block) * plan.block);
}

}  // namespace whybits
