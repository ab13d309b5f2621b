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
  std::vector<RankOrder> trees;       ///< likewise

  const RankOrder& ring(std::uint64_t channel) const { return rings[channel % rings.size()]; }
  const RankOrder& tree(std::uint64_t channel) const { return trees[channel % trees.size()]; }
};

/// GPUs of one host behind an NVSwitch, compute capability 9.0 (H100, H200), ranks in the order of
/// the devices. Computed from the graph search for 2, 3, 4, 6, 7 and 8 GPUs; 2 and 4 agree with
/// logs. Errors: ConfigurationError for other numbers of ranks.
Machine hopper_nvswitch(std::uint64_t ranks);

/// With the communicator's channels limited by the settings.
Machine limited(Machine machine, const Settings& settings);

}  // namespace whybits::nccl
