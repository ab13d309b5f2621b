#include "lab/engines/open_mpi.hpp"

#include <bit>

namespace whybits {

TopologyMap open_mpi_map(const OpenMpiAlgorithm& algorithm, std::uint64_t ranks,
                         std::uint64_t count, const Format& type) {
  AllReduceConfig config{algorithm.adds, ranks, count, type};
  config.ring_starts_at_owner = true;
  if (algorithm.adds == AllReduce::ring && count < ranks)
    config.algorithm = AllReduce::recursive_doubling;
  if (algorithm.adds == AllReduce::rabenseifner && count < std::bit_floor(ranks))
    config.algorithm = AllReduce::linear;
  return all_reduce_map(config);
}

}  // namespace whybits
