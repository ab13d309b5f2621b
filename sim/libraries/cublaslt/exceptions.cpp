#include "sim/libraries/cublaslt/exceptions.hpp"

#include "sim/libraries/cublaslt/codes.hpp"

namespace whybits::cublaslt {
namespace {

struct Exception {
  std::uint32_t id, tile, cluster_shape, cta_swizzling;
  StorageB storage_b;
  std::string_view why;
  bool ragged_k = false;  ///< only where k is no multiple of a k tile
};

constexpr Exception exceptions[] = {
    {43, 17, 18, 0, StorageB::nk,
     "algorithm id 43 with tile 64x128 and clusters of 5x1 was measured otherwise than its rule "
     "(4 parts where the rule says 5)"},
    {43, 18, 8, 1, StorageB::kn,
     "algorithm id 43 with tile 128x64, clusters of 1x4 and swizzle 1 was measured otherwise than "
     "its rule (other tiles were cut)"},
    {43, 21, 12, 0, StorageB::kn,
     "algorithm id 43 with tile 256x64 and clusters of 1x8 was measured otherwise than its rule"},
    {43, 21, 43, 0, StorageB::kn,
     "algorithm id 43 with tile 256x64 and clusters of 1x7 was measured otherwise than its rule"},
    {43, 18, 8, 0, StorageB::kn,
     "algorithm id 43 with tile 128x64, clusters of 1x4 and a k of 4104 was measured otherwise "
     "than "
     "its rule",
     true},
    {43, 15, 11, 0, StorageB::nk,
     "algorithm id 43 with tile 64x64, clusters of 8x1 and a k of 4104 was measured otherwise than "
     "its rule",
     true},
};

}  // namespace

std::optional<NoRule> measured_otherwise(const Problem& problem, const Algorithm& algorithm) {
  for (const Exception& e : exceptions)
    if (e.id == algorithm.id && e.tile == algorithm.tile &&
        e.cluster_shape == algorithm.cluster_shape && e.cta_swizzling == algorithm.cta_swizzling &&
        e.storage_b == problem.storage_b && algorithm.split_k == decided_by_kernel &&
        (!e.ragged_k || problem.shape.k % k_tile(algorithm.stages).value_or(1) != 0))
      return NoRule{std::string(e.why)};
  return std::nullopt;
}

}  // namespace whybits::cublaslt
