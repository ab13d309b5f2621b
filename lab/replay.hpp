// The leaves of every recorded output, and the reduction that predicts it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lab/recording.hpp"
#include "sim/gemm.hpp"
#include "sim/reduction.hpp"

namespace whybits {

/// A topology for every output: one for all, or a map of them (Stream-K: the tile decides).
class Model {
 public:
  /// Errors: TopologyError; UsageError for outputs that no region of a map owns.
  Model(const std::variant<SchemaPtr, TopologyMap>& topology, std::uint64_t k,
        const LeafTypes& types, std::uint64_t elements);

  /// `element` is the flattened index in the whole output, recorded or not.
  const Reduction& at(std::uint64_t element) const;
  const Format& result() const { return reductions_.front().result; }
  /// True if a region's result is a set (`any`).
  bool order_undefined() const;

 private:
  std::vector<Reduction> reductions_;
  std::vector<std::uint64_t> ends_;  ///< of the regions, ascending
  std::vector<std::size_t> of_region_;
};

/// Both operands of a gemm are rounded so before they are multiplied; none: they enter as they are.
using OperandRounding = std::optional<Conversion>;

/// What is known of the leaves: a tf32 operand given as f32 words has format f32.
LeafTypes leaf_types(const Recording& recording, const OperandRounding& rounding = {});

/// One recorded output.
struct ReplayedOutput {
  std::size_t index;      ///< among the recorded ones
  std::uint64_t element;  ///< in the whole output, flattened
  const Leaves& leaves;   ///< borrowed for the call
};

/// Calls visit for every recorded output, from several threads. Not for all_reduce. What visit
/// throws is thrown again.
void for_each_recorded_output(const Recording& recording, const GemmOptions& options,
                              const std::function<void(const ReplayedOutput&)>& visit,
                              const OperandRounding& rounding = {});

/// "[3,55]" of a matrix, "tile 2, [3,5]", "[7]" of sums: where a recorded output lies.
std::string output_place(const Recording& recording, std::uint64_t index);

/// What replaying holds in memory for this many models, in bytes.
std::uint64_t replay_bytes(const Recording& recording, std::uint64_t models,
                           const GemmOptions& options);

}  // namespace whybits
