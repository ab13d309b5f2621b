// Explicit trees without any regularity, the same in every run.
#pragma once

#include <cstdint>

#include "sim/schema.hpp"

namespace whybits::bench {

/// `nodes` lists over all leaves 0 … n − 1, each of random items. Precondition: 0 < nodes < n.
Nested random_tree(std::uint64_t n, std::uint64_t nodes);

/// For units that take products: `nodes` lists, each goes on with the one before and takes one or
/// more `piece`s of leaves in a random order. Precondition: n / piece ≥ nodes.
Nested random_chain(std::uint64_t n, std::uint64_t nodes, std::uint64_t piece);

}  // namespace whybits::bench
