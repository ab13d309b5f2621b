// Attention over splits of the keys: sim/builders/split_attention.hpp says the order.
#include <algorithm>

#include "gpu/recipe_claims.hpp"
#include "sim/builders/split_attention.hpp"
#include "sim/special/operation.hpp"

namespace whybits::gpu {
namespace {

SplitAttention config_of(const RecipeRun& run) {
  SplitAttention config{run.extent("keys"), run.params.block_k, run.params.splits,
                        run.params.vector, run.type};
  config.causal = run.params.instruction == "causal";
  return config;
}

/// `ahead`: keys behind its own that a query of a causal run sees.
RecipeClaim claim_of(const RecipeRun& run, const SplitAttention& config, std::uint64_t ahead = 0) {
  const auto borders = split_attention_borders(config);
  RecipeClaim claim{{},
                    split_attention_recipe(config, run.parameter, special::operation("exp2f")),
                    {{"q", "q", 0, run.extent("queries")}}};
  const std::uint64_t queries = run.extent("queries");
  for (std::size_t s = 0; s + 1 < borders.size(); ++s) {
    const std::uint64_t keys = borders[s + 1] - borders[s];
    for (const char* tensor : {"k", "v"})
      claim.inputs.push_back({tensor + std::to_string(s), tensor, borders[s], keys});
    if (config.causal)
      claim.made.emplace(
          "mask" + std::to_string(s),
          input_tensor({queries, keys, formats::f32},
                       causal_mask(queries, config.keys, borders[s], borders[s + 1], ahead)));
  }
  return claim;
}

}  // namespace

void check_attention(const RecipeKernel& kernel, const RecipeRun& run) {
  check_recipe_run(kernel, run);
  constexpr std::uint64_t most_tile = 4096, most_head = 1024, most_splits = 4096, most_vector = 16;
  check_range("head_size", run.extent("head_size"), 1, most_head);
  check_range("warps", run.params.warps, 1, 32);
  check_range("vector", run.params.vector, 1, most_vector);
  check_range("block_k", run.params.block_k, 1, most_tile);
  check_range("splits", run.params.splits, 1, most_splits);
  if (run.extent("heads") % run.extent("kv_heads") != 0)
    throw ConfigurationError("kv_heads", run.extent("kv_heads"),
                             "must divide heads = " + std::to_string(run.extent("heads")));
  if (run.params.instruction == "causal" && run.extent("queries") > run.extent("keys"))
    throw ConfigurationError(
        "queries", run.extent("queries"),
        "must be at most the " + std::to_string(run.extent("keys")) + " keys under a causal mask");
}

LaunchedBlocks attention_blocks(const RecipeRun& run) {
  const auto splits =
      static_cast<std::uint32_t>(split_attention_borders(config_of(run)).size() - 1);
  return {size_of(run, "heads") * size_of(run, "queries") * splits, threads_of(run)};
}
std::vector<KernelTensor> attention_inputs(const RecipeRun& run) {
  const std::uint64_t kv = run.extent("kv_heads"), keys = run.extent("keys"),
                      d = run.extent("head_size");
  return {{"q", run.extent("heads"), run.extent("queries"), d, run.type},
          {"k", kv, keys, d, run.type},
          {"v", kv, keys, d, run.type}};
}
std::vector<KernelTensor> attention_outputs(const RecipeRun& run) {
  return {{"y", run.extent("heads"), run.extent("queries"), run.extent("head_size"), run.type}};
}

RecipeClaim claim_attention(const RecipeRun& run) {
  return claim_of(run, config_of(run));
}

std::vector<RecipeClaim> attention_neighbours(const RecipeRun& run) {
  const SplitAttention config = config_of(run);
  const RecipeClaim right = claim_of(run, config);
  std::vector<RecipeClaim> list;
  const auto add = [&](const char* name, auto change) {
    SplitAttention other = config;
    change(other);
    add_neighbour(list, right, name, claim_of(run, other));
  };
  if (config.keys > 1)
    add("half the tile", [](SplitAttention& c) { c.tile = (std::min(c.tile, c.keys) + 1) / 2; });
  add("one split more", [](SplitAttention& c) { ++c.splits; });
  add("twice the vector", [](SplitAttention& c) { c.vector *= 2; });
  if (split_attention_borders(config).size() > 2)
    add("splits combined from the last", [](SplitAttention& c) { c.last_split_first = true; });
  if (config.causal && run.extent("queries") > 1) {
    add("no mask", [](SplitAttention& c) { c.causal = false; });
    list.push_back(claim_of(run, config, 1));
    list.back().name = "a mask one key later";
  }
  return list;
}

}  // namespace whybits::gpu
