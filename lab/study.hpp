// Many reductions of one kind (the outputs of a GEMM, the rows of a sum) under one or more
// topologies A, B, …: the results before and after the last rounding, how many differ between any
// two, how far each is from exact, and the full story of one of them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "exact/measure.hpp"
#include "lab/memory_limit.hpp"
#include "lab/output_error.hpp"
#include "sim/divergence.hpp"
#include "sim/gemm.hpp"

namespace whybits {

/// A topology with its last rounding taken off, so that the value before it can be seen.
struct SplitReduction {
  Reduction before;                ///< everything but the last written rounding
  std::optional<Conversion> last;  ///< that rounding, if the topology ends with one
  Format output;

  Bits round(Bits code) const;
};
SplitReduction split_last_rounding(const SchemaPtr& schema, std::uint64_t n,
                                   const LeafTypes& types);

/// Calls its argument once for every output with the output's leaves, maybe from several threads.
using ForEachOutput = std::function<void(const std::function<void(std::size_t, const Leaves&)>&)>;

struct StudyRequest {
  LeafTypes types;
  std::uint64_t addends = 0;  ///< n of every reduction
  std::uint64_t outputs = 0;
  /// All outputs under each reduction, by the optimized evaluator; null: one by one, from for_each.
  std::function<std::vector<std::vector<Bits>>(std::span<const Reduction>)> evaluate;
  ForEachOutput for_each;                    ///< for what asks for an output's leaves
  std::uint64_t reading_bytes = 0;           ///< what both hold in memory
  std::string fewer_addends, fewer_outputs;  ///< remedies, where memory does not suffice
  std::vector<SchemaPtr> topologies;         ///< A, B, …; at least one
  bool with_exact = true;                    ///< errors are wanted
};

/// The outputs of a matrix product, in the order of the chosen rows, then columns. The request
/// borrows the operands.
StudyRequest gemm_request(const GemmOperands& operands, const ChosenOutputs& chosen,
                          const GemmOptions& options, std::vector<SchemaPtr> topologies);
/// The sums of the rows of a matrix of `rows` × `n` values.
StudyRequest sum_request(const CodeSource& values, std::uint64_t rows, std::uint64_t n,
                         std::vector<SchemaPtr> topologies);

struct TopologyOutputs {
  SplitReduction reduction;
  std::vector<Bits> before;  ///< before the last rounding, one an output
  std::vector<Bits> after;
  exact::ErrorStatistics error_before;
  exact::ErrorStatistics error_after;
};

struct OutputComparison {
  std::uint64_t differ = 0;
  bool same_format = true;         ///< else ulp are not counted
  exact::UlpHistogram ulp;         ///< of the outputs that differ
  std::vector<std::size_t> where;  ///< indices that differ, ascending
};

/// Two topologies of a study, a < b.
struct PairComparison {
  std::size_t a = 0, b = 1;
  OutputComparison before;  ///< the last rounding
  OutputComparison after;
  bool same_tree = false;  ///< they cannot differ
};

struct Study {
  std::vector<TopologyOutputs> topologies;
  bool with_exact = true;             ///< errors were measured
  std::vector<PairComparison> pairs;  ///< (A, B), (A, C), …, (B, C), …

  std::size_t outputs() const { return topologies[0].after.size(); }
  bool any_output_differs() const;
};

/// The parts of a study, for who keeps what does not change from one to the next. `before` as
/// StudyRequest::evaluate gives them.
TopologyOutputs topology_outputs(SplitReduction reduction, std::vector<Bits> before);
/// exact[i]: of output i under this topology; outputs without one do not count.
void measure_errors(TopologyOutputs& outputs, const std::vector<std::optional<Dyadic>>& exact);
/// Topologies a < b of a study.
PairComparison compare_pair(const std::vector<TopologyOutputs>& topologies, std::size_t a,
                            std::size_t b);

/// The first output that differs, else the first that differs before the last rounding.
std::optional<std::size_t> first_difference(const PairComparison& pair);

/// "A", "B", … as reports call the topologies.
std::string topology_letter(std::size_t index);

/// Refuses (UsageError) what would need more than `limit` bytes, before allocating.
Study run_study(const StudyRequest& request, std::uint64_t limit = memory_limit);

/// The traces of one output under both topologies and where they part. Where only the last rounding
/// makes the results the same, the traces end before it.
struct OutputStory {
  SplitReduction reduction_a, reduction_b;
  Bits before_a = 0, before_b = 0;  ///< before the last rounding
  Bits after_a = 0, after_b = 0;
  bool healed = false;  ///< before the last rounding they differ, after it they do not
  Trace a, b;
  Divergence divergence;
  std::optional<Dyadic> exact;  ///< none if A and B add operands differently often
  std::optional<OutputError> error_a, error_b;
};
/// Memory that tell_output would need for a pair of a study, about: it keeps every step.
std::uint64_t story_bytes(const Study& study, const PairComparison& pair);
OutputStory tell_output(const LeafTypes& types, const Leaves& leaves, const SchemaPtr& a,
                        const SchemaPtr& b);

/// Takes the last rounding's step off a story's traces and compares them again: both then end with
/// the sums that the rounding is given. Nothing to do if the story is healed, or has none.
void end_before_last_rounding(OutputStory& story);

/// Counts codes of two formats that are not the same value, and by how many ulp.
OutputComparison compare_outputs(const Format& fa, const std::vector<Bits>& a, const Format& fb,
                                 const std::vector<Bits>& b);

}  // namespace whybits
