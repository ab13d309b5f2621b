// NCCL's binary trees over nodes (src/graph/trees.cc, ncclGetBtree and ncclGetDtree) and the chains
// inside them, as topologies over ranks.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/builders/configuration_error.hpp"
#include "sim/schema.hpp"

namespace whybits {

struct TreePlace {
  std::optional<std::uint64_t> parent, first_child, second_child;
  bool operator==(const TreePlace&) const = default;
};

/// Where a node stands in the tree: node 0 is the root, odd ones are leaves.
TreePlace binary_tree_place(std::uint64_t nodes, std::uint64_t node);
/// The second tree of a double tree: mirrored for an even number of nodes, shifted by one for an
/// odd number, so that leaves of the one are inner nodes of the other.
TreePlace second_tree_place(std::uint64_t nodes, std::uint64_t node);

/// To which GPU of a node's chain the links from child nodes go; links to parents leave from the
/// first GPU.
enum class TreeLinks : std::uint8_t {
  first,    ///< both to the first GPU of the chain (NCCL: TREE)
  second,   ///< both to the second (SPLIT_TREE)
  balanced  ///< the first child's to the second GPU, the second child's to the first
};

struct NodeTree {
  std::uint64_t ranks = 2;
  std::uint64_t ranks_per_node = 1;  ///< must divide ranks; node i has ranks i·this and following
  TreeLinks links = TreeLinks::balanced;  ///< ignored where a node has one rank
  bool second = false;                    ///< the second tree of a double tree
};
/// A rank adds to its own value the chain's partial result, then the first child node's, then the
/// second's. O(ranks). Errors: ConfigurationError.
SchemaPtr node_tree(const NodeTree& config, const Unit& unit);

}  // namespace whybits
