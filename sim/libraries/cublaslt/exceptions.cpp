#include "sim/libraries/cublaslt/exceptions.hpp"

namespace whybits::cublaslt {
namespace {

struct Exception {
  std::uint32_t id, tile, cluster_shape, cta_swizzling;
  StorageB storage_b;
  std::string_view why;
};

constexpr Exception exceptions[] = {
    {43, 17, 18, 0, StorageB::nk,
     "algorithm id 43 with tile 64x128 and clusters of 5x1 was measured otherwise than its rule "
     "(4 parts where the rule says 5)"},
    {43, 18, 8, 1, StorageB::kn,
     "algorithm id 43 with tile 128x64, clusters of 1x4 and swizzle 1 was measured otherwise than "
     "its rule (other tiles were cut)"},
};

}  // namespace

std::optional<NoRule> measured_otherwise(const Problem& problem, const Algorithm& algorithm) {
  for (const Exception& e : exceptions)
    if (e.id == algorithm.id && e.tile == algorithm.tile &&
        e.cluster_shape == algorithm.cluster_shape && e.cta_swizzling == algorithm.cta_swizzling &&
        e.storage_b == problem.storage_b && algorithm.split_k == decided_by_kernel)
      return NoRule{std::string(e.why)};
  return std::nullopt;
}

}  // namespace whybits::cublaslt
