// From a message to channels, loops and chunks: which chunk of which channel an element is in.
//
// Sources: src/enqueue.cc (scheduleCollTasksToPlan, calcCollChunking), src/include/device.h
// (ncclCollCbdPart), src/device/all_reduce.h (runRing), per release.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/libraries/nccl/tuning.hpp"

namespace whybits::nccl {

struct Message {
  std::uint64_t count = 0;          ///< elements
  std::uint64_t element_bytes = 4;  ///< of one
  std::uint64_t bytes() const { return count * element_bytes; }
};

/// Elements [begin, end) belong to a channel; parts ascend.
struct Part {
  std::uint64_t channel = 0, begin = 0, end = 0;
  bool operator==(const Part&) const = default;
};
/// Contiguous parts, of releases from 2.20 on. At most one channel more than the choice has.
/// Precondition: rules.partition is not interleaved.
std::vector<Part> channel_parts(const Message& message, const Choice& choice,
                                const Machine& machine, const Rules& rules);

/// Elements of a full chunk of a protocol: what a ring step sends.
std::uint64_t chunk_elements(Protocol protocol, const Settings& settings,
                             std::uint64_t element_bytes);

/// Elements [begin, end) are chunk `index` (0 … ranks − 1) of a loop of a channel.
struct Chunk {
  std::uint64_t channel = 0, index = 0, begin = 0, end = 0;
  bool operator==(const Chunk&) const = default;
};
/// Chunks of a ring, ascending, without gaps; empty ones left out. O(chunks).
std::vector<Chunk> ring_chunks(const Message& message, const Choice& choice, const Machine& machine,
                               const Settings& settings, const Rules& rules);

}  // namespace whybits::nccl
