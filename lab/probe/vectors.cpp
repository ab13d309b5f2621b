#include "lab/probe/vectors.hpp"

#include <algorithm>

#include "lab/probe/vector_questions.hpp"

namespace whybits {

std::vector<ProbeVector> probe_vectors(const Claim& claim) {
  std::vector<ProbeVector> vectors;
  VectorMaker maker(claim, vectors);
  for (void (*question)(VectorMaker&) :
       {alignment, grouping, accumulator_inside, zero_exponent, zero_sign, special_values, overflow,
        subnormals, tf32_words, fma_chain})
    question(maker);
  return vectors;
}

VectorPlace vector_place(const Claim& claim, std::uint64_t v) {
  const auto m = static_cast<std::uint64_t>(claim.instruction->m);
  const auto n = static_cast<std::uint64_t>(claim.instruction->n);
  const std::uint64_t diagonal = std::min(m, n);
  return {v / diagonal, v % m, v % diagonal};
}

gpu::TileBatch vector_tiles(const Claim& claim, const std::vector<ProbeVector>& vectors) {
  if (vectors.empty()) return empty_batch(claim, 0);
  const auto m = static_cast<std::uint64_t>(claim.instruction->m);
  const auto n = static_cast<std::uint64_t>(claim.instruction->n);
  const auto k = static_cast<std::uint64_t>(claim.instruction->k);
  gpu::TileBatch batch = empty_batch(claim, vector_place(claim, vectors.size() - 1).tile + 1);
  for (std::uint64_t v = 0; v < vectors.size(); ++v) {
    const auto [tile, row, column] = vector_place(claim, v);
    for (std::uint64_t l = 0; l < k; ++l) {
      put_code(claim.a, batch.a, (tile * m + row) * k + l, vectors[v].a[l]);
      put_code(claim.b, batch.b, (tile * n + column) * k + l, vectors[v].b[l]);
    }
    put_code(claim.c, batch.c, (tile * m + row) * n + column, vectors[v].c);
  }
  return batch;
}

}  // namespace whybits
