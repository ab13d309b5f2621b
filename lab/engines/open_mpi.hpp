// Open MPI's all-reduces as topologies: what each algorithm that it can be told to use adds, and
// how it is told.
//
// Sources: ompi/mca/coll/base/coll_base_allreduce.c and coll_base_reduce.c of Open MPI 4.1. Every
// row is compared with a real MPI_Allreduce by the tests, on 2 to 8 processes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/builders/all_reduce.hpp"

namespace whybits {

struct OpenMpiAlgorithm {
  std::string_view name;
  int allreduce;  ///< coll_tuned_allreduce_algorithm
  int reduce;     ///< coll_tuned_reduce_algorithm, of a reduce that is then broadcast; 0: unused
  AllReduce adds;
};
inline constexpr std::array<OpenMpiAlgorithm, 8> open_mpi_algorithms{{
    {"basic-linear", 1, 0, AllReduce::linear},
    {"reduce-linear", 2, 1, AllReduce::linear},
    {"reduce-pipeline", 2, 3, AllReduce::linear},
    {"reduce-binomial", 2, 5, AllReduce::binomial},
    {"recursive-doubling", 3, 0, AllReduce::recursive_doubling},
    {"ring", 4, 0, AllReduce::ring},
    {"segmented-ring", 5, 0, AllReduce::ring},
    {"rabenseifner", 6, 0, AllReduce::rabenseifner},
}};

/// The map of a message. Rings of fewer elements than ranks are recursive doubling, Rabenseifner's
/// with fewer than the power of two are linear. Errors: ConfigurationError.
TopologyMap open_mpi_map(const OpenMpiAlgorithm& algorithm, std::uint64_t ranks,
                         std::uint64_t count, const Format& type);

}  // namespace whybits
