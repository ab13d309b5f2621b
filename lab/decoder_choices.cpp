#include "lab/decoder_choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sim/notation.hpp"

namespace whybits {
namespace {

NormSide batch_norm(const char* name, std::uint64_t batch, std::uint64_t hidden) {
  const RmsNormConfig config{*find_rms_norm_kernel(name), batch, hidden, formats::bf16};
  return {fmt::format("{}@{}", name, batch), config, rms_norm_order(config)};
}

/// A map of all outputs, cut to one row of n.
TopologyMap row_of_map(const TopologyMap& map, std::uint64_t row, std::uint64_t n) {
  TopologyMap cut;
  const std::uint64_t first = row * n, end = first + n;
  for (const MapRegion& region : map.regions) {
    const std::uint64_t from = std::max(region.begin, first), to = std::min(region.end, end);
    if (from < to) cut.regions.push_back({from - first, to - first, region.topology});
  }
  return cut;
}

std::variant<ProductChoice, MissingChoice> atlas_choice(const char* layer_name, std::uint64_t batch,
                                                        const DecoderPlace& place) {
  const cublaslt::Layer& layer = *cublaslt::find_layer(layer_name);
  const cublaslt::AtlasKey key{layer.n, layer.k, place.storage_b, cublaslt::TypeKind::bf16};
  const auto& atlas = cublaslt::Atlas::shipped(key.types);
  const cublaslt::Choice* const choice = atlas.find(key, batch);
  if (!choice) return MissingChoice{key, batch, "is not in the atlas"};
  const auto topology = choice->topology(key, batch);
  if (const auto* none = std::get_if<cublaslt::NoRule>(&topology))
    return MissingChoice{key, batch, "no rule: " + none->why, true};
  const auto& known = std::get<cublaslt::Topology>(topology);
  const cublaslt::AtlasFile& file = atlas.file(*choice);
  std::string evidence = choice->evidence.empty()
                             ? fmt::format("cublasLt {}, asked on {}", file.library, file.device)
                             : choice->evidence;
  if (const auto* one = std::get_if<SchemaPtr>(&known))
    return one_topology(*one, layer.n, std::move(evidence));
  return ProductChoice{row_of_map(std::get<TopologyMap>(known), place.token, layer.n),
                       std::move(evidence)};
}

}  // namespace

ProductChoice one_topology(const SchemaPtr& topology, std::uint64_t n, std::string evidence) {
  return {{{{0, n, topology}}}, std::move(evidence)};
}

std::variant<DecoderChoices, MissingChoice> library_choices(std::uint64_t batch,
                                                            const DecoderPlace& place,
                                                            AttentionSide attention) {
  const DecoderSizes sizes;
  DecoderChoices choices{.batch = batch,
                         .input_norm = batch_norm("vllm", batch, sizes.hidden),
                         .post_norm = batch_norm("vllm-fused-add", batch, sizes.hidden),
                         .qkv = {},
                         .o = {},
                         .gate_up = {},
                         .down = {},
                         .attention = std::move(attention)};
  for (const auto& [layer, product] : {std::pair{"qkv", &choices.qkv},
                                       {"o", &choices.o},
                                       {"gate-up", &choices.gate_up},
                                       {"down", &choices.down}}) {
    auto made = atlas_choice(layer, batch, place);
    if (const auto* missing = std::get_if<MissingChoice>(&made)) return *missing;
    *product = std::get<ProductChoice>(std::move(made));
  }
  return choices;
}

DecoderChoices invariant_choices(std::uint64_t batch, const DecoderSizes& sizes,
                                 AttentionSide attention) {
  const SchemaPtr chain = parse_topology("fold(sm90.wgmma.bf16) > bf16");
  const auto product = [&](std::uint64_t n) {
    return one_topology(chain, n, "a kernel of one's own: one chain over K for every batch");
  };
  return {.batch = batch,
          .input_norm = batch_norm("vllm-invariant", batch, sizes.hidden),
          .post_norm = batch_norm("vllm-fused-add-invariant", batch, sizes.hidden),
          .qkv = product(sizes.qkv_columns()),
          .o = product(sizes.hidden),
          .gate_up = product(2 * sizes.ffn),
          .down = product(sizes.hidden),
          .attention = std::move(attention)};
}

}  // namespace whybits
