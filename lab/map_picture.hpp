// A map over the elements of a message, for people: a table, and a picture of which rank starts the
// sum where.
#pragma once

#include <string>
#include <vector>

#include "lab/all_reduce_spec.hpp"

namespace whybits {

/// The rank whose value is added first, if one is. Its tree's first leaf.
std::optional<std::uint64_t> starting_rank(const SchemaPtr& topology, std::uint64_t ranks);

/// A line a region, at most `most` of them.
std::string map_table(const AllReducePlan& plan, const AllReduceMessage& message,
                      std::size_t most = 48);
/// A bar a channel (or one for the message), a rectangle a region, coloured and lettered by its
/// topology.
std::string map_svg(const AllReducePlan& plan, const AllReduceMessage& message);

}  // namespace whybits
