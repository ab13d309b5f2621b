// Two things measured in turns, so that what else the machine does meets both alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace whybits::bench {

/// What one call took. Seconds of this thread's processor time and by the clock: where they are
/// apart, other programs had the processor.
struct Timing {
  double cpu = 0;
  double wall = 0;
  std::optional<double> instructions;  ///< of this thread, where the machine counts them
  double all_cpu = 0;                  ///< processor time of all threads of this process
};

double thread_seconds();
double process_seconds();
double clock_seconds();

/// Counts this thread's instructions in user mode (perf_event_open).
class InstructionCounter {
 public:
  InstructionCounter();
  ~InstructionCounter();
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;

  std::optional<std::uint64_t> read() const;
  /// Why there is no count; empty if there is one.
  const std::string& missing() const { return missing_; }

 private:
  int file_ = -1;
  std::string missing_;
};

/// This thread's counter.
const InstructionCounter& instruction_counter();

/// Every column's median.
Timing median(const std::vector<Timing>& samples);

template <class Work>
Timing timed(const Work& work) {
  const InstructionCounter& counter = instruction_counter();
  const std::optional<std::uint64_t> before = counter.read();
  const double wall = clock_seconds(), all = process_seconds(), cpu = thread_seconds();
  work();
  Timing timing{thread_seconds() - cpu, clock_seconds() - wall, {}, process_seconds() - all};
  if (const std::optional<std::uint64_t> after = counter.read(); before && after)
    timing.instructions = static_cast<double>(*after - *before);
  return timing;
}

struct Duel {
  Timing own, peer;
};

/// own, peer, own, peer, … after one call of each that warms up.
template <class Own, class Peer>
Duel in_turns(int runs, const Own& own, const Peer& peer) {
  own();
  peer();
  std::vector<Timing> owns, peers;
  for (int run = 0; run < runs; ++run) {
    owns.push_back(timed(own));
    peers.push_back(timed(peer));
  }
  return {median(owns), median(peers)};
}

}  // namespace whybits::bench
