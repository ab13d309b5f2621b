// Attention of a few queries over many keys, softmax(q·kᵀ·scale)·v: the keys are cut into splits,
// each walks its tiles with a running maximum m, sum l and output o, and the splits are combined.
//
// One order, written down so that a kernel can be held to it (gpu/kernels/split_attention.cu):
//
//   t_j = c · lanes(32, by=vector, fold(f32.fma, from=0), halves(f32)) of q·k_j,  c = scale · log2
//   e per tile   m' = max(m, t…), f = 2^(m − m'), p_j = 2^(t_j − m'), both by the GPU's exp2f
//              l' = l·f + p_0 + p_1 + …,  o' = o·f + p_0·v_0 + p_1·v_1 + …   (fma, in order of
//              keys)
//   combine    M = max m_s, w_s = 2^(m_s − M);  L and O = fold(f32.fma, from=0) of w_s·l_s, w_s·o_s
//              y = O / L, rounded once to the type
//
// −infinity as a maximum is subtracted as 0: a row whose scores are all −infinity gives 0.
//
// Under a causal mask t_j is −infinity for keys that the query does not see. They are walked all
// the same, with weights of +0: an infinity or a NaN among their values makes NaN.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/builders/configuration_error.hpp"
#include "sim/recipe.hpp"

namespace whybits {

struct SplitAttention {
  std::uint64_t keys = 1;
  std::uint64_t tile = 64;        ///< keys of a step
  std::uint64_t splits = 1;       ///< as launched; those beyond the last tile hold no keys
  std::uint64_t vector = 1;       ///< neighbours of a head that a lane takes at once
  Format type = formats::bf16;    ///< of q, k, v and y: f32, f16 or bf16
  bool last_split_first = false;  ///< in the combine
  bool causal = false;            ///< masks are inputs
};

/// Borders of the splits that hold keys: whole tiles, 0, …, keys.
/// Errors: ConfigurationError for no keys, tiles or splits.
std::vector<std::uint64_t> split_attention_borders(const SplitAttention& config);

/// 0 where a query sees a key of [begin, end), else −infinity: query i of `queries` sees the keys
/// up to i + keys − queries + `ahead`. Row-major, f32 codes.
std::vector<Bits> causal_mask(std::uint64_t queries, std::uint64_t keys, std::uint64_t begin,
                              std::uint64_t end, std::uint64_t ahead = 0);

/// scale · log2 e, formed in double and rounded once. f32 codes.
Bits scale_in_powers_of_two(Bits scale);

/// Inputs q (queries×D) and, of split s, "k<s>" and "v<s>" (its keys × D) and, of a causal one,
/// "mask<s>" (queries × its keys, f32: 0 or −infinity). Output y (queries×D).
/// `scale` is an f32 code, exp2 a map from f32 to f32. Errors: as the borders.
Recipe split_attention_recipe(const SplitAttention& config, Bits scale, const MapOperation& exp2);

}  // namespace whybits
