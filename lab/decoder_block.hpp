// One decoder block for one token, as a launch of A tokens computes it and as one of B does:
// operation by operation, how many elements differ that the operation itself makes, and how many
// with what came in. The other tokens of a batch are not computed: of them a row's bits know only
// what the batch makes libraries choose (decoder_choices.hpp).
//
//   x ─ norm ─ q k v ─ RoPE ─ attention ─ o ─ + ─ norm ─ gate up ─ SiLU·mul ─ down ─ + ─ y
//   └───────────────────────────────────────┘ └──────────────────────────────────────┘
//
// All tensors are bf16. Orders are the libraries'; arithmetic between them is vLLM's
// (docs/decoder.md): RoPE and SiLU·mul round to bf16 after every product and sum.
#pragma once

#include <chrono>

#include "lab/decoder_choices.hpp"

namespace whybits {

/// Row-major, weights as k×n whatever a library saw.
struct DecoderInputs {
  std::shared_ptr<const CodeSource> x;                      ///< hidden
  std::shared_ptr<const CodeSource> input_norm, post_norm;  ///< weights, hidden each
  std::shared_ptr<const CodeSource> qkv;                    ///< hidden × (q, k, v)
  std::shared_ptr<const CodeSource> o;                      ///< heads · head size × hidden
  std::shared_ptr<const CodeSource> gate_up;                ///< hidden × 2·ffn
  std::shared_ptr<const CodeSource> down;                   ///< ffn × hidden
  /// The cache, kv heads × keys × head size; the token's own key and value take the last place.
  std::shared_ptr<const CodeSource> keys, values;
};
struct DecoderRequest {
  DecoderSizes sizes;
  DecoderInputs inputs;
  std::uint64_t keys =
      4096;      ///< of the sequence, the token's own included: its position is the last
  Bits eps = 0;  ///< an f32 code
  ElementFunctions functions = element_functions()[0];
  DecoderChoices a, b;
  unsigned threads = 0;  ///< of the matrix products; 0: as many as the machine has
};

/// One operation under A and B.
struct DecoderOperation {
  std::string name;
  std::string by_a, by_b;  ///< kernel or topology
  std::string evidence_a, evidence_b;
  bool has_order = true;               ///< false: element by element
  bool same_order = true;              ///< A and B add in one order: nothing may differ by itself
  std::vector<Bits> a, b;              ///< as each launch has it, bf16
  std::uint64_t own = 0, own_ulp = 0;  ///< B's order on A's inputs, against A
  std::uint64_t differ = 0, largest_ulp = 0;  ///< b against a
  std::chrono::duration<double> seconds{};    ///< of the emulation

  std::string cause() const;
};
struct DecoderStudy {
  std::vector<DecoderOperation> operations;  ///< in the order of the block

  const DecoderOperation& output() const { return operations.back(); }
  bool any_differs() const;
};

/// Errors: RecipeError, TopologyError.
DecoderStudy run_decoder_study(const DecoderRequest& request);

/// x·cos − y·sin and y·cos + x·sin for the halves x and y of every head of `row`, each product and
/// each sum rounded to bf16; cos and sin of position · base^(−2i/D) are formed in double and
/// rounded to bf16.
std::vector<Bits> rotate_heads(std::vector<Bits> row, std::uint64_t head_size,
                               std::uint64_t position, double base);
/// silu(gate)·up of a row of gates and a row of ups: silu in f32 and rounded to bf16, then the
/// product.
std::vector<Bits> silu_and_mul(const std::vector<Bits>& gate_up, const ElementFunctions& functions);

std::string decoder_text(const DecoderRequest& request, const DecoderStudy& study, bool with_times);
nlohmann::ordered_json decoder_json(const DecoderRequest& request, const DecoderStudy& study,
                                    bool with_times);

}  // namespace whybits
