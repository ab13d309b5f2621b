#include "sim/builders/binary_tree.hpp"

#include <bit>
#include <vector>

namespace whybits {
namespace {

/// The place of a node in a tree whose nodes are renamed.
template <class Rename>
TreePlace renamed(const TreePlace& place, Rename rename) {
  TreePlace other = place;
  for (auto* node : {&other.parent, &other.first_child, &other.second_child})
    if (*node) *node = rename(**node);
  return other;
}

/// Values of a fold as one list: its items go on in the list that it begins.
void begin_with(std::vector<Nested>& items, Nested first) {
  if (first.items.empty())
    items.push_back(std::move(first));
  else
    items = std::move(first.items);
}

Nested as_list(std::vector<Nested> items) {
  if (items.size() == 1) return std::move(items[0]);
  return {0, std::move(items)};
}

class Builder {
 public:
  explicit Builder(const NodeTree& config)
      : config_(config), nodes_(config.ranks / config.ranks_per_node) {}

  Nested tree() const {
    for (std::uint64_t node = 0; node < nodes_; ++node)
      if (!place(node).parent) return node_value(node);
    return {};
  }

 private:
  TreePlace place(std::uint64_t node) const {
    return config_.second ? second_tree_place(nodes_, node) : binary_tree_place(nodes_, node);
  }

  /// What leaves the first GPU of a node. Recursion as deep as the tree, log2(nodes).
  Nested node_value(std::uint64_t node) const {
    const TreePlace at = place(node);
    const std::uint64_t last = config_.ranks_per_node - 1;
    const std::uint64_t second = last == 0 || config_.links == TreeLinks::first ? 0 : 1;
    const std::uint64_t links[] = {second, config_.links == TreeLinks::second ? second : 0};
    std::vector<Nested> acc;
    for (std::uint64_t i = last + 1; i-- > 0;) {
      std::vector<Nested> arriving;
      if (at.first_child && links[0] == i) arriving.push_back(node_value(*at.first_child));
      if (at.second_child && links[1] == i) arriving.push_back(node_value(*at.second_child));
      std::size_t taken = 0;
      if (acc.empty() && !arriving.empty()) begin_with(acc, std::move(arriving[taken++]));
      acc.push_back({node * config_.ranks_per_node + i, {}});
      for (; taken < arriving.size(); ++taken) acc.push_back(std::move(arriving[taken]));
    }
    return as_list(std::move(acc));
  }

  NodeTree config_;
  std::uint64_t nodes_;
};

}  // namespace

TreePlace binary_tree_place(std::uint64_t nodes, std::uint64_t node) {
  TreePlace place;
  if (node == 0) {
    if (nodes > 1) place.second_child = std::bit_ceil(nodes) / 2;
    return place;
  }
  const std::uint64_t bit = node & (~node + 1);
  const std::uint64_t up = (node ^ bit) | (bit * 2);
  place.parent = up >= nodes ? node ^ bit : up;
  if (bit == 1) return place;
  std::uint64_t low = bit / 2;
  place.first_child = node - low;
  while (low != 0 && node + low >= nodes) low /= 2;
  if (low != 0) place.second_child = node + low;
  return place;
}

TreePlace second_tree_place(std::uint64_t nodes, std::uint64_t node) {
  if (nodes % 2 == 0)
    return renamed(binary_tree_place(nodes, nodes - 1 - node),
                   [&](std::uint64_t other) { return nodes - 1 - other; });
  return renamed(binary_tree_place(nodes, (node + nodes - 1) % nodes),
                 [&](std::uint64_t other) { return (other + 1) % nodes; });
}

SchemaPtr node_tree(const NodeTree& config, const Unit& unit) {
  if (config.ranks < 2) throw ConfigurationError("ranks", config.ranks, "two or more");
  if (config.ranks_per_node == 0 || config.ranks % config.ranks_per_node != 0)
    throw ConfigurationError("ranks_per_node", config.ranks_per_node,
                             "must divide the number of ranks");
  return schema(Explicit{unit, Builder(config).tree()});
}

}  // namespace whybits
