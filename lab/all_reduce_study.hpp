// One message under several all-reduces: which elements differ, by how much, and which are not the
// nearest number to the exact sum.
#pragma once

#include <memory>
#include <span>

#include "lab/all_reduce_spec.hpp"
#include "lab/study.hpp"

namespace whybits {

struct AllReduceRequest {
  AllReduceMessage message;
  std::vector<AllReducePlan> plans;                 ///< A, B, …
  std::vector<std::unique_ptr<CodeSource>> inputs;  ///< of every rank
  Average average = Average::none;
  bool with_exact = true;
};

struct AllReduceOutputs {
  std::vector<Bits> codes;
  std::optional<std::uint64_t> not_nearest;  ///< elements that are not the exact sum, rounded once
  bool order_undefined = false;              ///< NVLS: these codes are those of the order of ranks
};
struct AllReducePair {
  std::size_t a = 0, b = 1;
  OutputComparison outputs;
  std::uint64_t other_topology = 0;  ///< elements that the maps give different topologies
};
struct AllReduceStudy {
  std::vector<AllReduceOutputs> plans;
  std::vector<AllReducePair> pairs;

  bool any_differs() const;
};

/// Errors: UsageError for what needs more memory than a command may, before allocating.
AllReduceStudy study_all_reduce(const AllReduceRequest& request);

/// The result of one map. Averages as all_reduce_recipe.
std::vector<Bits> evaluate_map(const TopologyMap& map,
                               const std::vector<std::unique_ptr<CodeSource>>& inputs,
                               std::uint64_t count, Average average = Average::none);

/// Elements whose codes differ. Precondition: equally many.
std::uint64_t count_differences(std::span<const Bits> a, std::span<const Bits> b);

/// Elements for which two maps of the same message differ in topology: other trees, not only
/// another text.
std::uint64_t elements_with_other_topology(const TopologyMap& a, const TopologyMap& b,
                                           std::uint64_t ranks);

}  // namespace whybits
