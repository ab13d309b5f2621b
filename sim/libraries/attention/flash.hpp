// Attention forward by FlashAttention: softmax(q·kᵀ·scale)·v in one pass over blocks of keys, from
// the last block to the first, and over splits of the keys, whose results are combined.
//
// What decides a row's bits: the block of keys of the kernel, the number of splits, and with it
// batch, heads and queries, since FlashAttention-2 splits until the device is full.
//
// Sources: FlashAttention-2 as PyTorch 2.11 ships it (aten/src/ATen/native/transformers/cuda/
// flash_attn), measured on an H200; FlashAttention-3 (hopper/) and vLLM's fork of it
// (github.com/vllm-project/flash-attention, hopper/tile_size.h), read in source. docs/attention.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "sim/builders/configuration_error.hpp"
#include "sim/libraries/element_functions.hpp"
#include "sim/recipe.hpp"

namespace whybits {

struct AttentionShape {
  std::uint64_t batch = 1, heads = 1, kv_heads = 1;
  std::uint64_t queries = 1, keys = 1;
  std::uint64_t head_size = 128;  ///< D
  bool causal = false;            ///< query i sees keys up to i + keys − queries
  Format type = formats::bf16;    ///< of q, k, v and the output: bf16 or f16
};

/// Keys of a step, for a head size.
struct FlashBlocks {
  std::uint64_t head_size;
  std::uint64_t split;   ///< where the keys are split; 0: as where they are not
  std::uint64_t plain;   ///< unsplit, no mask
  std::uint64_t causal;  ///< unsplit under a causal mask
  std::uint64_t few;  ///< where the queries of a head of keys are few, under either; 0: none such
};

/// A row of the table of kernels.
struct FlashKernel {
  std::string_view name;
  std::string_view unit;  ///< "sm90.mma": the type's name follows
  /// x·c − m·c by one fma, or from two rounded products.
  bool fused_scores;
  bool fills_device;  ///< splits until the device is full, without being told
  std::array<FlashBlocks, 4> blocks;
  std::string_view evidence;
};
/// All that are known, in the order of the documentation.
std::span<const FlashKernel> flash_kernels();
/// Null if there is none of that name.
const FlashKernel* find_flash_kernel(std::string_view name);

/// How the keys of a row are cut. Zero in a wish: as the library chooses.
struct FlashWish {
  std::uint64_t block = 0;       ///< keys of a step
  std::uint64_t splits = 0;      ///< how many
  std::uint64_t split_keys = 0;  ///< or how long, whatever the number of keys
  /// Queries of the longest sequence of the launch, by which it is cut: a neighbour's.
  std::uint64_t longest = 0;
};
struct FlashPlan {
  FlashKernel kernel;
  AttentionShape shape;
  bool grouped = false;          ///< the heads of a group are rows of one query block
  std::uint64_t block = 64;      ///< keys of a step
  std::uint64_t splits = 1;      ///< as launched, empty ones included
  std::uint64_t split_keys = 0;  ///< keys of a split, a multiple of the block; the last is shorter

  /// Splits that hold keys.
  std::uint64_t filled_splits() const;
};
/// 132 multiprocessors. Errors: ConfigurationError for empty shapes, heads that kv_heads does not
/// divide, other types, head sizes other than 64, 96, 128 and 256, blocks that are no multiple of
/// 16, both wishes for splits at once, more queries than keys under a causal mask, and fewer (but
/// for one) of a kernel of which they are not known.
FlashPlan flash_plan(const FlashKernel& kernel, const AttentionShape& shape,
                     const FlashWish& wish = {});

/// FlashAttention-2's number of splits: `tiles` blocks of queries over all heads and batches.
std::uint64_t flash_splits(std::uint64_t tiles, std::uint64_t processors, std::uint64_t blocks,
                           std::uint64_t most = 128);

/// Lanes that fold the weights of a row's splits before they meet far first.
std::uint64_t flash_combine_lanes(const FlashPlan& plan);

/// The keys that a query's block of queries looks at: all, or those up to its diagonal, rounded up
/// to a block.
std::uint64_t flash_keys(const FlashPlan& plan, std::uint64_t query);

}  // namespace whybits
