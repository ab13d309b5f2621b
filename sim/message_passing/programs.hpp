// What ranks do in an all-reduce: programs that see their neighbours, the round and their buffers.
#pragma once

#include "sim/message_passing/network.hpp"

namespace whybits::message_passing {

/// A loop of a ring: elements [begin, end) in `ranks` chunks of `chunk`, the last ones short or
/// empty; or with `chunk` 0 in even blocks, the first ones one element longer.
struct RingLoop {
  std::uint64_t begin = 0, end = 0, chunk = 0;
};

/// NCCL's runRing: reduce-scatter, then all-gather, loop after loop.
std::unique_ptr<Rank> ring_rank(Values values, std::uint64_t rank, std::uint64_t ranks,
                                std::vector<RingLoop> loops, bool starts_at_owner);

/// Waits for its children's sums, adds them to its own values, sends that to its parent; then the
/// result comes down.
struct TreeNeighbours {
  std::optional<std::uint64_t> parent;
  std::vector<std::uint64_t> children;  ///< in the order in which they are added
};
std::unique_ptr<Rank> tree_rank(Values values, std::uint64_t rank, TreeNeighbours neighbours,
                                std::uint64_t begin, std::uint64_t end);

/// Exchanges with the rank at distance 1, 2, 4, …: whole messages (recursive doubling) or ever
/// smaller halves, which are gathered again (Rabenseifner). Ranks beyond a power of two first hand
/// their values to a neighbour.
std::unique_ptr<Rank> doubling_rank(Values values, std::uint64_t rank, std::uint64_t ranks,
                                    std::uint64_t count);
/// `far_first`: the rank at distance ranks/2 first. Precondition: ranks is then a power of two.
std::unique_ptr<Rank> halving_rank(Values values, std::uint64_t rank, std::uint64_t ranks,
                                   std::uint64_t count, bool far_first);

/// Rank r owns elements [borders[r], borders[r + 1]), adds everybody's values of them, in the order
/// of ranks or from itself on around, and sends the result to all. With `everybody` every rank owns
/// all elements and keeps them.
struct Owners {
  std::vector<std::uint64_t> borders;
  bool from_owner = false;
  bool everybody = false;
};
std::unique_ptr<Rank> owner_rank(Values values, std::uint64_t rank, std::uint64_t ranks,
                                 const Owners& owners);

}  // namespace whybits::message_passing
