// The second execution of an all-reduce: ranks pass messages, and each final piece says which
// additions made it. It shares no code with maps, builders and library models; tests compare the
// two in every bit and every addition.
#pragma once

#include <span>

#include "sim/builders/all_reduce.hpp"  // what is asked for: plain data
#include "sim/message_passing/programs.hpp"

namespace whybits::message_passing {

struct Simulation {
  std::vector<std::unique_ptr<Rank>> ranks;
};

/// Ranks that run the configuration's algorithm on their own inputs, which are borrowed.
/// Errors: ConfigurationError where no program of messages does that: NVLS, whose additions are in
/// the switch, and recursive halving of ranks that are no power of two.
Simulation all_reduce_ranks(const AllReduceConfig& config,
                            std::span<const CodeSource* const> inputs);

/// A ring over given loops: NCCL's channel, whose loops are the kernel's launch arguments.
Simulation ring_ranks(std::span<const CodeSource* const> inputs, const std::vector<RingLoop>& loops,
                      const Wire& wire);

/// Every rank's result, and the pieces of rank 0. Memory: ranks · count codes at most.
struct Results {
  std::vector<std::vector<Bits>> codes;  ///< [rank][element]
  std::vector<Piece> pieces;             ///< of rank 0, ascending
  Traffic traffic;
};
Results run_whole(Simulation simulation, std::uint64_t count, unsigned threads = 0);

}  // namespace whybits::message_passing
