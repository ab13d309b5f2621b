// Maps over the elements of an all-reduce, evaluated block by block: inputs are read, or
// generated, where they are needed, so that messages larger than memory are no problem.
#pragma once

#include <functional>
#include <span>

#include "sim/fast/region_plan.hpp"

namespace whybits::fast {

struct AllReduceOptions {
  unsigned threads = 0;       ///< 0: as many as the machine has
  std::stop_token stop = {};  ///< when stopped, the remaining blocks are left out
  /// Bytes of inputs that are held at once, about. One element of every rank always is.
  std::uint64_t input_bytes = std::uint64_t{256} << 20;
};

/// Calls visit(begin, codes) for blocks of elements, ascending, without gaps: codes has a matrix of
/// one row for each map, in the map's format. Inputs are read once for all maps. `ranks` have one
/// format and `count` elements each. `scale` multiplies every input first, rounded to the inputs'
/// format. Errors: TopologyError, also for a map that does not cover all elements or whose regions
/// differ in format. What a source or visit throws is thrown again.
void evaluate_all_reduces(
    std::span<const TopologyMap> maps, std::span<const CodeSource* const> ranks,
    std::uint64_t count, const std::optional<Scalar>& scale, const AllReduceOptions& options,
    const std::function<void(std::uint64_t, std::span<const CodeMatrix>)>& visit);
/// The same of one map.
void evaluate_all_reduce(const TopologyMap& map, std::span<const CodeSource* const> ranks,
                         std::uint64_t count, const std::optional<Scalar>& scale,
                         const AllReduceOptions& options,
                         const std::function<void(std::uint64_t, const CodeMatrix&)>& visit);

}  // namespace whybits::fast
