// One message under several all-reduces: how many elements differ, by how much, and how many are
// not the nearest number to the exact sum.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "exact/measure.hpp"
#include "lab/all_reduce_spec.hpp"
#include "sim/source.hpp"

namespace whybits {

struct AllReduceRequest {
  AllReduceMessage message;
  std::vector<AllReducePlan> plans;                 ///< A, B, …
  std::vector<std::unique_ptr<CodeSource>> inputs;  ///< of every rank
  Average average = Average::none;                  ///< of sums only
  bool with_exact = true;                           ///< of sums only
};

struct AllReduceOutputs {
  std::optional<std::uint64_t> not_nearest;  ///< elements that are not the exact sum, rounded once
  bool order_undefined = false;              ///< NVLS: counted in the order of ranks
};
struct AllReducePair {
  std::size_t a = 0, b = 1;
  std::uint64_t differ = 0;
  exact::UlpHistogram ulp;  ///< of the elements that differ
  struct Element {
    std::uint64_t index = 0;
    Bits a = 0, b = 0;
  };
  std::optional<Element> first;      ///< that differs
  std::uint64_t other_topology = 0;  ///< elements that the maps give different topologies
};
struct AllReduceStudy {
  std::vector<AllReduceOutputs> plans;
  std::vector<AllReducePair> pairs;

  bool any_differs() const;
};

/// Block by block, so that memory does not grow with the message.
/// Errors: UsageError for regions that differ in format.
AllReduceStudy study_all_reduce(const AllReduceRequest& request);

/// The result of one map. Averages as all_reduce_recipe; of max and min there are none.
std::vector<Bits> evaluate_map(const TopologyMap& map,
                               const std::vector<std::unique_ptr<CodeSource>>& inputs,
                               std::uint64_t count, Average average = Average::none,
                               ReduceOp op = ReduceOp::sum);

/// Elements whose codes differ. Precondition: equally many.
std::uint64_t count_differences(std::span<const Bits> a, std::span<const Bits> b);

/// Elements for which two maps of the same message differ in topology: other trees, not only
/// another text.
std::uint64_t elements_with_other_topology(const TopologyMap& a, const TopologyMap& b,
                                           std::uint64_t ranks);

}  // namespace whybits
