// From a schema to the tree for n addends.
#pragma once

#include <stdexcept>

#include "sim/tree.hpp"

namespace whybits {

/// The schema cannot be expanded for this n, or asks for what its unit cannot do.
struct TopologyError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ExpandOptions {
  /// The computation has an operand c (an accumulator that comes from outside). Exactly one fold
  /// takes it: the one that says from=c, else the first that starts there by default. A topology
  /// with no place for it is an error, unless it says from=0 where c would go.
  bool has_c = false;
  /// Bound on time and memory: runs of addends handled. A regular topology of any size takes a few
  /// thousand; what lists n addends one by one takes n and more.
  std::uint64_t max_work = std::uint64_t{1} << 24;
};

/// Time and memory O(shapes), not O(n), for regular topologies.
/// Errors: TopologyError, also for what is too irregular or nests too deep. n ≤ 2⁴⁰.
Tree expand(const Schema& schema, std::uint64_t n, const ExpandOptions& options = {});

}  // namespace whybits
