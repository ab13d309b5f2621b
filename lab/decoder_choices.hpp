// What the batch decides in a decoder block: the threads of its norms, the orders of its four
// matrix products, and how attention cuts the keys. Nothing else in the block knows of other rows.
#pragma once

#include <string>
#include <variant>

#include "lab/attention_study.hpp"
#include "lab/norm_study.hpp"
#include "sim/libraries/cublaslt/atlas.hpp"

namespace whybits {

/// Sizes of a block with grouped heads: q, k and v from one product, gate and up from another.
struct DecoderSizes {
  std::uint64_t hidden = 4096, heads = 32, kv_heads = 8, head_size = 128, ffn = 14336;
  double rope_base = 500000;

  std::uint64_t q_columns() const { return heads * head_size; }
  std::uint64_t kv_columns() const { return kv_heads * head_size; }
  std::uint64_t qkv_columns() const { return q_columns() + 2 * kv_columns(); }
  bool operator==(const DecoderSizes&) const = default;
};

/// Of one row of the output: its regions cover [0, n) of the columns.
struct ProductChoice {
  TopologyMap row;
  std::string evidence;
};
/// The same topology for n columns.
ProductChoice one_topology(const SchemaPtr& topology, std::uint64_t n, std::string evidence);

struct DecoderChoices {
  std::uint64_t batch = 1;
  NormSide input_norm;  ///< of x
  NormSide post_norm;   ///< of x + attention: adds the residual itself
  ProductChoice qkv, o, gate_up, down;
  AttentionSide attention;
};

/// The atlas does not have a product, or no rule gives its topology.
struct MissingChoice {
  cublaslt::AtlasKey key;
  std::uint64_t batch = 0;
  std::string why;
  bool in_atlas = false;  ///< no rule, then
};

struct DecoderPlace {
  cublaslt::StorageB storage_b = cublaslt::StorageB::nk;
  std::uint64_t token = 0;  ///< the row of the batch; matters where tiles of the output differ
};

/// What Llama-3-8B's block runs on an H200 for `batch` tokens: vLLM's norms, cuBLASLt's products
/// by the atlas, and `attention` as given. Errors: ConfigurationError of a norm.
std::variant<DecoderChoices, MissingChoice> library_choices(std::uint64_t batch,
                                                            const DecoderPlace& place,
                                                            AttentionSide attention);
/// One topology whatever the batch: a block of 1024 threads a norm, one chain over K a product.
DecoderChoices invariant_choices(std::uint64_t batch, const DecoderSizes& sizes,
                                 AttentionSide attention);

}  // namespace whybits
