// The GPUs of a communicator as NCCL's graph search sees them: channels, rings and trees.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/libraries/nccl/settings.hpp"

namespace whybits::nccl {

/// Ranks in the order of a channel: a ring from rank 0 on; a tree's chain from its root on.
using RankOrder = std::vector<std::uint64_t>;

struct Machine {
  std::uint64_t ranks = 0;
  std::uint64_t channels = 0;         ///< C, of the communicator
  std::uint64_t search_channels = 0;  ///< that the time model counts
  double channel_bandwidth = 0;       ///< GB/s of one of them
  std::vector<RankOrder> rings;       ///< of channel c: rings[c mod size]
  std::vector<RankOrder> trees;       ///< likewise; of one host
  std::uint64_t nodes = 1;
  /// Most of Ring and Simple: 256 where all channels together reach no more than 12 GB/s.
  std::uint64_t ring_simple_threads = 512;

  const RankOrder& ring(std::uint64_t channel) const { return rings[channel % rings.size()]; }
  const RankOrder& tree(std::uint64_t channel) const { return trees[channel % trees.size()]; }
  /// Between nodes: whether the channel adds by the second tree of the double tree. The channels
  /// that the graph search found take the first, their doubles the second, copies what they copy.
  bool second_tree(std::uint64_t channel) const {
    return channel % (2 * search_channels) >= search_channels;
  }
};

/// GPUs of one host behind an NVSwitch, compute capability 9.0 (H100, H200), ranks in the order of
/// the devices. Computed from the graph search for 2, 3, 4, 6, 7 and 8 GPUs; 2 and 4 agree with
/// logs. Errors: ConfigurationError for other numbers of ranks.
Machine hopper_nvswitch(std::uint64_t ranks);

/// Nodes with one GPU each, ranks in the order of nodes, which talk through sockets: one ring, and
/// the two trees of a double tree (tests/recordings/nccl/nodes: 2 to 8 nodes, NCCL
/// 2.28.9). Errors: ConfigurationError for fewer than two nodes.
Machine hopper_nodes(std::uint64_t nodes);

/// Either of them. Errors: ConfigurationError for nodes with more than one of several ranks each.
Machine hopper(std::uint64_t ranks, std::uint64_t nodes);

/// With the communicator's channels limited by the settings.
Machine limited(Machine machine, const Settings& settings);

}  // namespace whybits::nccl
