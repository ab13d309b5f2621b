// Algorithms 55, 20, 10, 11 and 13: chains of fma on CUDA cores.
#include "sim/builders/gemm.hpp"
#include "sim/libraries/cublaslt/codes.hpp"
#include "sim/libraries/cublaslt/families.hpp"

namespace whybits::cublaslt {
namespace {

SchemaPtr fma_chain() {
  return fold_of(ieee_fma(formats::f32));
}
SchemaPtr f32_fold() {
  return fold_of(ieee_add(formats::f32));
}

/// Chains over chunks of `chunk`, folded.
SchemaPtr chunked_chain(std::uint64_t chunk) {
  return schema(Slices{chunk, fma_chain(), f32_fold()});
}

NoRule not_seen(const Algorithm& algorithm, std::string_view field, std::uint32_t value) {
  return NoRule{"algorithm id " + std::to_string(algorithm.id) + " was not measured with " +
                std::string(field) + ' ' + std::to_string(value)};
}

Derived contiguous(const Problem& problem, std::uint64_t splits, std::uint64_t grain) {
  GemmConfig config;
  config.unit = ieee_fma(formats::f32);
  config.splits = splits;
  config.split_grain = grain;
  return finished(gemm_topology(config, problem.shape.k), problem);
}

/// The merge inside the kernel of custom option 1: the last partial begins; then partials half the
/// number apart, in pairs. The last one has been used.
SchemaPtr merged_from_last(std::uint64_t partials) {
  const std::uint64_t half = ceil_div(partials, 2), last = partials - 1;
  Nested root;
  root.items.push_back({last, {}});
  for (std::uint64_t i = 0; i < half && i < last; ++i) {
    const std::uint64_t partner = i + half;
    if (partner < last)
      root.items.push_back({0, {{i, {}}, {partner, {}}}});
    else
      root.items.push_back({i, {}});
  }
  return schema(Explicit{ieee_add(formats::f32), root});
}

}  // namespace

Derived ffma(const Problem& problem, TypeKind /*kind*/, const Algorithm& algorithm,
             const Place& /*place*/) {
  constexpr std::uint64_t tile = 8;
  if (k_tile(algorithm.stages) != tile) return not_seen(algorithm, "stages", algorithm.stages);
  if (algorithm.custom_option > 2)
    return not_seen(algorithm, "custom_option", algorithm.custom_option);
  const auto splits = stated_splits(algorithm);
  if (!splits) return NoRule{"algorithm id 55 was not measured with split_k 0 or -1"};
  if (*splits == 1) return finished(fma_chain(), problem);
  if (*splits > ceil_div(problem.shape.k, tile))
    return NoRule{"algorithm id 55 was not measured with more slices than k tiles"};
  const bool in_kernel = algorithm.custom_option == 1 && *splits > 2;
  return finished(
      schema(Lanes{*splits, tile, fma_chain(), in_kernel ? merged_from_last(*splits) : f32_fold()}),
      problem);
}

Derived simt(const Problem& problem, TypeKind /*kind*/, const Algorithm& algorithm,
             const Place& /*place*/) {
  const auto splits = stated_splits(algorithm);
  if (!splits) return NoRule{"algorithm id 20 was not measured with split_k 0 or -1"};
  if (k_tile(algorithm.stages) != 8) return not_seen(algorithm, "stages", algorithm.stages);
  // All three schemes keep f32 partials and add them by ascending k.
  if (*splits > 1 && algorithm.reduction_scheme == in_place && problem.bias)
    return NoRule{"where a bias enters a running total of algorithm id 20 is not known"};
  constexpr std::uint64_t line = 32, word = 4;  // 128 and 16 bytes
  return contiguous(problem, *splits, problem.shape.k % line == 0 ? line : word);
}

Derived simt_in_place(const Problem& problem, TypeKind /*kind*/, const Algorithm& algorithm,
                      const Place& /*place*/) {
  const auto splits = stated_splits(algorithm);
  if (!splits) return NoRule{"algorithm id 10 was not measured with split_k 0 or -1"};
  if (*splits > 1 && algorithm.reduction_scheme != in_place)
    return not_seen(algorithm, "reduction_scheme", algorithm.reduction_scheme);
  constexpr std::uint64_t grain = 8, line = 32;
  if (problem.shape.k % line != 0)
    return NoRule{
        "algorithm id 10 was measured with k a multiple of 32 only, but for one run that "
        "no slice length explains"};
  return contiguous(problem, *splits, grain);
}

Derived gemm_sn(const Problem& problem, TypeKind /*kind*/, const Algorithm& algorithm,
                const Place& /*place*/) {
  // split_k −1 with scheme 2 is the unsplit order.
  if (algorithm.split_k != 1 && algorithm.split_k != decided_by_kernel)
    return not_seen(algorithm, "split_k", algorithm.split_k);
  const std::uint64_t k = problem.shape.k;
  struct Row {
    StorageB storage_b;
    std::uint32_t custom_option;
    std::uint64_t parts, chunk;
  };
  constexpr Row contiguous_parts[] = {{StorageB::kn, 0, 2, 256}, {StorageB::kn, 1, 4, 128}};
  for (const Row& row : contiguous_parts)
    if (row.storage_b == problem.storage_b && row.custom_option == algorithm.custom_option)
      return finished(schema(Slices{ceil_div(k, row.parts), chunked_chain(row.chunk), f32_fold()}),
                      problem);
  constexpr std::uint64_t lanes = 16, chunk = 256;
  if (problem.storage_b == StorageB::nk && algorithm.custom_option == 0)
    return finished(schema(Lanes{lanes, 1, chunked_chain(chunk / lanes), f32_fold()}), problem);
  return not_seen(algorithm, "custom_option", algorithm.custom_option);
}

}  // namespace whybits::cublaslt
