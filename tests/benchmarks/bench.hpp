// Measures a thing beside a peer that does the same work in the same process.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/benchmarks/timing.hpp"

namespace whybits::bench {

/// What the ratio should be.
struct Goal {
  double bound = 1;
  bool at_most = false;  ///< else at least
};

/// One line of the report.
struct Result {
  std::string name;
  std::string item;  ///< what is counted: "pair", "product", …
  double rate = 0;   ///< items a second, unless `amount`
  std::string peer = {};
  double peer_rate = 0;
  std::string note = {};  ///< anything else worth printing
  bool amount = false;    ///< the rates are plain amounts of items
  std::optional<Timing> timing = {}, peer_timing = {};
  std::optional<double> instructions = {};  ///< an item
  std::optional<Goal> goal = {};
  std::string group = {};

  double ratio() const { return rate / peer_rate; }
  bool meets_goal() const {
    return !goal || (goal->at_most ? ratio() <= goal->bound : ratio() >= goal->bound);
  }
};

/// How a group is to be measured.
struct Settings {
  int runs = 9;
  bool quick = false;           ///< sizes at which nothing but the run itself is tested
  std::string instruction_set;  ///< of the optimized evaluator
};

/// Keeps a value alive without storing it anywhere.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// Median seconds of `runs` calls, after one that warms up. A call should take over a millisecond:
/// shorter work is repeated inside.
template <class Work>
double median_seconds(int runs, Work work) {
  work();
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) {
    const double start = thread_seconds();
    work();
    seconds.push_back(thread_seconds() - start);
  }
  std::nth_element(seconds.begin(), seconds.begin() + runs / 2, seconds.end());
  return seconds[static_cast<std::size_t>(runs / 2)];
}

/// A rate in items per second.
template <class Work>
double rate(int runs, double items, Work work) {
  return items / median_seconds(runs, work);
}

/// A line whose rates are items a second of processor time.
inline Result line(std::string name, std::string item, double items, std::string peer,
                   double peer_items, const Duel& duel) {
  Result result{std::move(name), std::move(item), items / duel.own.cpu, std::move(peer),
                peer_items / duel.peer.cpu};
  result.timing = duel.own;
  result.peer_timing = duel.peer;
  if (duel.own.instructions) result.instructions = *duel.own.instructions / items;
  return result;
}

/// Words with evenly distributed bits, the same in every run.
inline std::uint64_t random_word(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// Published by MMA-Sim's authors (arXiv:2511.10909) for their code under PyTorch, Hopper m16n8k16
/// f16, products a second on one core: not run here.
inline constexpr double mma_sim_rate = 0.18e6;
inline constexpr const char* mma_sim = "MMA-Sim, published";

using Results = std::vector<Result>;
Results exact_sums(int runs);
Results exact_products(int runs);
Results evaluator(int runs);
Results arithmetic(int runs);
Results trees(int runs);
// The optimized evaluator. They throw WrongResult (outputs.hpp).
Results matrix_products(const Settings& settings);
Results weights(const Settings& settings);
Results topologies(const Settings& settings);
Results threads(const Settings& settings);
Results memory(const Settings& settings);
Results single_instructions(const Settings& settings);
Results instruction_counts(const Settings& settings);
Results recipes(int runs);
Results collectives(const Settings& settings);
Results rows(const Settings& settings);

}  // namespace whybits::bench
