// Measures a thing beside a peer that does the same work in the same process.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

namespace whybits::bench {

/// One line of the report. Rates are items per second.
struct Result {
  std::string name;
  std::string item;  ///< what is counted: "pair", "product", …
  double rate = 0;
  std::string peer;
  double peer_rate = 0;
  std::string note = {};  ///< anything else worth printing
  double ratio() const { return rate / peer_rate; }
};

/// Keeps a value alive without storing it anywhere.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// Processor time of this thread: what another program takes from it does not count.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
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

/// Words with evenly distributed bits, the same in every run.
inline std::uint64_t random_word(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

using Results = std::vector<Result>;
Results exact_sums(int runs);
Results exact_products(int runs);
Results evaluator(int runs);
Results arithmetic(int runs);
Results trees(int runs);
Results recipes(int runs);

}  // namespace whybits::bench
