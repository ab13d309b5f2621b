#include "lab/commands/layer_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lab/commands/options.hpp"
#include "lab/usage_error.hpp"

namespace whybits {
namespace {

template <std::size_t Count>
std::size_t name_option(const std::string& option, const std::string& text,
                        const std::array<std::string_view, Count>& names) {
  const auto found = std::ranges::find(names, text);
  if (found == names.end())
    throw UsageError(fmt::format("{}: '{}' is not known", option, text),
                     fmt::format("allowed: {}", fmt::join(names, " ")));
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

void add_layer_options(Command command, LayerOptions& options) {
  const CommandOption layer =
      command
          .add_option("--layer", options.layer,
                      "A layer of Llama-3-8B: qkv, o, gate-up or down; or give --n and --k")
          ->type_name("LAYER");
  add_count_option(command, "--n", options.n, most_addends, "Columns of the weight and the output")
      ->excludes(layer);
  add_count_option(command, "--k", options.k, most_addends, "Addends of each output")
      ->excludes(layer);
  command
      .add_option("--layout", options.layout,
                  "How the weight lies in memory: NN k×n (torch.mm), TN n×k (nn.Linear)")
      ->type_name("NN|TN")
      ->capture_default_str();
  command
      .add_option("--types", options.types,
                  "bf16 bf16-f32 f16 f16-f32 f16-compute f32 tf32 e4m3 e4m3-fast")
      ->type_name("TYPES")
      ->capture_default_str();
}

cublaslt::AtlasKey layer_key(const LayerOptions& options) {
  cublaslt::AtlasKey key{options.n, options.k, {}, {}};
  if (!options.layer.empty()) {
    const cublaslt::Layer* const layer = cublaslt::find_layer(options.layer);
    if (!layer)
      throw UsageError(fmt::format("--layer: '{}' is not known", options.layer),
                       "allowed: qkv o gate-up down; or give --n and --k");
    key.n = layer->n;
    key.k = layer->k;
  }
  if (key.n == 0 || key.k == 0)
    throw UsageError("which layer?", "give --layer, or --n and --k of at least 1");
  key.storage_b = static_cast<cublaslt::StorageB>(
      name_option("--layout", options.layout, cublaslt::layout_names));
  key.types = static_cast<cublaslt::TypeKind>(
      name_option("--types", options.types, cublaslt::type_kind_names));
  return key;
}

std::string not_in_atlas_remedy(const cublaslt::AtlasKey& key) {
  // Ranges that touch as one.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const cublaslt::Choice& choice : cublaslt::Atlas::shipped(key.types).choices(key))
    if (!ranges.empty() && ranges.back().second + 1 == choice.first_m)
      ranges.back().second = choice.last_m;
    else
      ranges.emplace_back(choice.first_m, choice.last_m);
  std::string recorded;
  for (const auto& [first, last] : ranges) {
    recorded += recorded.empty() ? "" : " ";
    recorded += first == last ? std::to_string(first) : fmt::format("{}..{}", first, last);
  }
  return fmt::format("{}; to add it on a GPU, see docs/cublaslt.md",
                     recorded.empty()
                         ? "the atlas has no batch size of " + cublaslt::text_of(key)
                         : "the atlas has m " + recorded + " of " + cublaslt::text_of(key));
}

}  // namespace whybits
