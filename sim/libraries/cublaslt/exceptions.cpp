#include "sim/libraries/cublaslt/exceptions.hpp"

namespace whybits::cublaslt {
namespace {

struct Exception {
  std::uint32_t id, tile, cluster_shape, cta_swizzling;
  StorageB storage_b;
  std::string_view why;
};

constexpr Exception exceptions[] = {
    {43, 20, 12, 1, StorageB::kn,
     "algorithm id 43 with tile 128x128, clusters of 1x8 and swizzle 1 was measured otherwise than "
     "its rule (another tile was cut)"},
    {43, 19, 18, 1, StorageB::kn,
     "algorithm id 43 with tile 64x256, clusters of 5x1 and swizzle 1 was measured otherwise than "
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
