// One row-parallel layer on several numbers of ranks against one rank: which outputs differ, how
// far each is from exact, and where one of them parts.
#pragma once

#include <memory>

#include "lab/study.hpp"

namespace whybits {

/// The layer on `ranks` ranks: a topology over all of K for every output, row-major.
struct LayerPlan {
  std::uint64_t ranks = 1;
  TopologyMap map;
};
struct LayerRequest {
  GemmOperands operands;         ///< of the whole layer
  std::vector<LayerPlan> plans;  ///< the first is compared with the others
  bool with_exact = true;
  GemmOptions options;
};

struct LayerOutputs {
  Format format;
  std::vector<Bits> codes;         ///< m·n
  OutputComparison against_first;  ///< of the first: empty
  std::uint64_t other_tree = 0;    ///< outputs whose tree is not the first plan's
  exact::ErrorStatistics error;
};
struct LayerStudy {
  std::vector<LayerOutputs> plans;
  bool with_exact = true;

  bool any_differs() const;
  /// The first plan with a different output, and that output.
  struct Difference {
    std::size_t plan = 0;
    std::size_t output = 0;
  };
  std::optional<Difference> first_difference() const;
};

/// Errors: UsageError for what needs more memory than a command may, before allocating;
/// TopologyError for topologies that cannot run on these operands.
LayerStudy study_layer(const LayerRequest& request);

/// Memory that tell_layer would need, about: it keeps every step.
std::uint64_t layer_story_bytes(const LayerRequest& request,
                                const LayerStudy::Difference& difference);
/// The story of the output under the first plan and another.
OutputStory tell_layer(const LayerRequest& request, const LayerStudy::Difference& difference);

}  // namespace whybits
