// Where a partial result comes from: which ranks' values were added, and in which order. Messages
// carry it, so that a simulation says what it did rather than what it was meant to do.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace whybits::message_passing {

struct Origin;
using OriginPtr = std::shared_ptr<const Origin>;

/// Ranks first, first + step, … (modulo `ranks`, count of them) added one after the other; or the
/// sum of two partial results.
struct Origin {
  std::uint64_t first = 0, count = 1, ranks = 0;
  int step = 1;           ///< 1 or −1; of a single rank either
  OriginPtr left, right;  ///< both or neither

  bool is_run() const { return !left; }
};

OriginPtr own_value(std::uint64_t rank, std::uint64_t ranks);
/// A run that `b` continues stays a run, so that a ring of any size takes constant memory.
OriginPtr added(const OriginPtr& a, const OriginPtr& b);

std::uint64_t added_ranks(const OriginPtr& origin);  ///< how many values are in it
/// The same for the same additions, whichever of two addends stands first. O(size).
std::uint64_t addition_hash(const OriginPtr& origin);
/// Of one rank's value, and of the sum of two things: what addition_hash is made of.
std::uint64_t leaf_hash(std::uint64_t rank);
std::uint64_t sum_hash(std::uint64_t a, std::uint64_t b);
/// "((1 2 3) 0)": a list is added from the left.
std::string print(const OriginPtr& origin);

}  // namespace whybits::message_passing
