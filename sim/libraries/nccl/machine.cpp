#include "sim/libraries/nccl/machine.hpp"

#include <algorithm>
#include <numeric>

namespace whybits::nccl {
namespace {

RankOrder rotated(RankOrder order, std::size_t by) {
  std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(by), order.end());
  return order;
}

}  // namespace

Machine hopper_nvswitch(std::uint64_t ranks) {
  constexpr std::uint64_t computed[] = {2, 3, 4, 6, 7, 8};
  if (std::find(std::begin(computed), std::end(computed), ranks) == std::end(computed))
    throw ConfigurationError("ranks", ranks,
                             "NCCL's channels are known for 2, 3, 4, 6, 7 or 8 GPUs of one host");
  constexpr std::uint64_t found = 12;  // channels that the graph search finds; doubled after it
  Machine machine{ranks, 2 * found, found, 30.0, {}, {}};
  RankOrder ascending(ranks);
  std::iota(ascending.begin(), ascending.end(), 0);
  machine.rings = {ascending};
  machine.trees = {ascending};
  if (ranks == 3) {
    // Six channels with the chain 0 1 2, three with 1 2 0, three with 2 0 1.
    machine.trees.assign(found, ascending);
    for (std::size_t c = 6; c < found; ++c) machine.trees[c] = rotated(ascending, c < 9 ? 1 : 2);
  }
  return machine;
}

Machine hopper_nodes(std::uint64_t nodes) {
  if (nodes < 2) throw ConfigurationError("nodes", nodes, "two or more");
  constexpr std::uint64_t found = 1;  // channels that the graph search finds; doubled after it
  RankOrder ascending(nodes);
  std::iota(ascending.begin(), ascending.end(), 0);
  return {nodes, 2 * found, found, 0.0, {ascending}, {}, nodes, 256};
}

Machine hopper(std::uint64_t ranks, std::uint64_t nodes) {
  if (nodes == 1) return hopper_nvswitch(ranks);
  if (nodes != ranks)
    throw ConfigurationError("nodes", nodes,
                             "channels between nodes are known for one rank a node only, that is " +
                                 std::to_string(ranks) + " nodes here");
  return hopper_nodes(nodes);
}

Machine limited(Machine machine, const Settings& settings) {
  if (settings.max_channels) machine.channels = std::min(machine.channels, *settings.max_channels);
  if (settings.min_channels) machine.channels = std::max(machine.channels, *settings.min_channels);
  return machine;
}

}  // namespace whybits::nccl
