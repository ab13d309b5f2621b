// Options of an attention: attention and its gates share them.
#pragma once

#include "lab/attention_study.hpp"
#include "lab/commands/command.hpp"

namespace whybits {

struct AttentionOptions {
  std::uint64_t batch = 1, heads = 8, kv_heads = 0, queries = 1, keys = 4096, head_size = 128;
  std::uint64_t compared = 64;
  std::string type = "bf16", q = "uniform:1", k = "uniform:2", v = "uniform:3", scale;
  std::string functions{element_functions()[0].name};
  bool causal = false;
};
/// All but --batch and --keys, which gates have as ranges.
void add_attention_options(Command command, AttentionOptions& options);
/// The same without --queries and --causal: whose answer these are knows them.
void add_attention_data_options(Command command, AttentionOptions& options);

/// Errors: UsageError.
AttentionShape attention_shape(const AttentionOptions& options);

/// A kernel, what is wished of it, and the shape by which it is launched.
struct AttentionChoice {
  FlashKernel kernel;
  AttentionShape launched;
  FlashWish wish;
};
/// "torch", "fa3", with ":" and any of block=N, splits=N, split-keys=N, batch=N, longest=N behind
/// it, comma between them. Errors: UsageError naming `option`.
AttentionChoice attention_choice(const std::string& option, const std::string& spec,
                                 const AttentionShape& shape);
/// The same, planned.
AttentionSide attention_side(const std::string& option, const std::string& spec,
                             const AttentionShape& shape);

/// The request without its sides. Errors: UsageError for inputs that cannot be opened.
AttentionRequest attention_request(const AttentionOptions& options);

}  // namespace whybits
