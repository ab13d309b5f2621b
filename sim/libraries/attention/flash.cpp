#include "sim/libraries/attention/flash.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "sim/ceil_div.hpp"

namespace whybits {
namespace {

constexpr std::array<FlashBlocks, 4> flash2{
    {{64, 256, 128, 128, 0}, {96, 128, 64, 64, 0}, {128, 128, 64, 64, 0}, {256, 64, 64, 64, 0}}};
constexpr std::array<FlashBlocks, 4> flash3{
    {{64, 0, 192, 128, 0}, {96, 0, 144, 144, 0}, {128, 0, 176, 128, 0}, {256, 0, 80, 80, 0}}};
/// Keys in pages that are too short for the bulk tensor engine, as vLLM's of 16 are.
constexpr std::array<FlashBlocks, 4> vllm3{
    {{64, 0, 160, 128, 192}, {96, 0, 128, 128, 0}, {128, 0, 128, 128, 128}, {256, 0, 80, 80, 0}}};

constexpr std::array kernels{
    FlashKernel{"torch", "sm90.mma", false, true, flash2,
                "FlashAttention-2 of PyTorch 2.11, recorded on an H200"},
    FlashKernel{"fa2", "sm90.mma", false, true, flash2,
                "FlashAttention-2 as recorded of PyTorch 2.11 on an H200"},
    FlashKernel{"fa3", "sm90.wgmma", true, false, flash3,
                "FlashAttention-3, read in source, not measured"},
    FlashKernel{"vllm-fa3", "sm90.wgmma", true, false, vllm3,
                "FlashAttention-3 of vLLM, pages of 16 keys, one split; read in source, not "
                "measured"}};

constexpr std::uint64_t processors = 132;
constexpr std::uint64_t query_block = 64;      ///< rows of the split kernel's tile
constexpr std::uint64_t diagonal_block = 128;  ///< rows of the unsplit kernel's tile
constexpr std::uint64_t few_rows = 64;         ///< of a head of keys: one warpgroup computes them

const FlashBlocks& blocks_of(const FlashKernel& kernel, std::uint64_t size) {
  const auto found = std::ranges::find(kernel.blocks, size, &FlashBlocks::head_size);
  if (found == kernel.blocks.end())
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
  if (s.causal && s.queries > s.keys)
    throw ConfigurationError("queries", s.queries,
                             "a causal launch has at most as many queries as keys");
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
  const FlashBlocks& sizes = blocks_of(kernel, shape.head_size);
  if (wish.block % 16 != 0)
    throw ConfigurationError("block", wish.block, "must be a multiple of 16");
  if (wish.splits != 0 && wish.split_keys != 0)
    throw ConfigurationError("splits and split keys exclude each other");
  FlashPlan plan{kernel, shape};
  const std::uint64_t queries = std::max(shape.queries, wish.longest);
  if (queries == 1) plan.shape.causal = false;  // a last query sees every key
  const std::uint64_t group = shape.heads / shape.kv_heads;
  plan.grouped = queries == 1 && group > 1;
  if (wish.splits == 0 && wish.split_keys == 0 && kernel.fills_device) {
    const std::uint64_t tiles = plan.grouped
                                    ? shape.batch * shape.kv_heads * ceil_div(group, query_block)
                                    : shape.batch * shape.heads * ceil_div(queries, query_block);
    plan.splits = flash_splits(tiles, 2 * processors, ceil_div(shape.keys, sizes.split));
  } else if (wish.splits != 0) {
    plan.splits = wish.splits;
  }
  const bool splits = plan.splits > 1 || wish.split_keys != 0;
  const bool few = sizes.few != 0 && queries * group <= few_rows;
  plan.block = wish.block != 0             ? wish.block
               : few                       ? sizes.few
               : splits && sizes.split > 0 ? sizes.split
               : plan.shape.causal         ? sizes.causal
                                           : sizes.plain;
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

std::uint64_t flash_combine_lanes(const FlashPlan& plan) {
  const std::uint64_t d = plan.shape.head_size;
  const std::uint64_t rows = d % 128 == 0 ? 4 : d % 64 == 0 ? 8 : 16;
  return std::min<std::uint64_t>(128 / rows,
                                 std::bit_ceil(std::max<std::uint64_t>(plan.splits, 2)));
}

std::uint64_t flash_keys(const FlashPlan& plan, std::uint64_t query) {
  const AttentionShape& s = plan.shape;
  if (!s.causal) return s.keys;
  const std::uint64_t rows = plan.splits > 1 ? query_block : diagonal_block;
  const std::uint64_t last = std::min((query / rows + 1) * rows, s.queries) + s.keys - s.queries;
  return std::min(s.keys, ceil_div(last, plan.block) * plan.block);
}

}  // namespace whybits
