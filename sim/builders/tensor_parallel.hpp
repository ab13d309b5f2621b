// A row-parallel layer (tensor parallelism): rank r of R holds the r-th part of K, multiplies it by
// the topology of its kernel, and an all-reduce adds the partial outputs. One topology over all of
// K says that: parts(R, kernel, all-reduce).
//
// With a kernel that rounds its output, and a ring or any order of ranks, another R gives other
// bits. One arrangement does not: a kernel for each of P parts, P a power of two, and one binary
// tree over the parts, whose lower levels lie inside a rank and whose upper ones across ranks, in
// the accumulator's format, rounded once. Its tree is the same for R = 1, 2, 4, …, P, which is
// stronger than equal bits on some data.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/builders/configuration_error.hpp"
#include "sim/schema.hpp"
#include "sim/unit.hpp"

namespace whybits {

/// `kernel` on every rank's part, then the all-reduce's topology of each element. One rank: the
/// kernel alone, for `outputs` elements. `last` is a rounding after that.
TopologyMap row_parallel_map(const SchemaPtr& kernel, std::uint64_t ranks,
                             const TopologyMap& all_reduce, std::uint64_t outputs,
                             const std::optional<Conversion>& last = {});

/// The invariant arrangement over `parts` parts of k, on `ranks` of them; of a kernel that ends
/// with a rounding this comes last, after the tree. Errors: ConfigurationError unless ranks and
/// parts are powers of two, ranks ≤ parts, and parts divides k.
SchemaPtr invariant_row_parallel(const SchemaPtr& kernel, std::uint64_t ranks, std::uint64_t parts,
                                 std::uint64_t k);

}  // namespace whybits
