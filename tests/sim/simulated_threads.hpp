#pragma once

#include <cstdint>
#include <span>
#include <vector>

// Threads of a GPU block as arrays of the processor's f32: the independent side of the sums.
namespace whybits::test {

/// Lane i adds what lane i + offset had, if there is such a lane and it takes part.
inline void shuffle_down(std::span<float> lanes, std::size_t offset) {
  for (std::size_t i = 0; i + offset < lanes.size(); ++i) lanes[i] += lanes[i + offset];
}

/// Every warp shuffles; one value a warp. Lanes beyond the last thread do not exist.
template <class Offsets>
std::vector<float> warp_totals(std::vector<float> threads, const Offsets& offsets) {
  std::vector<float> totals;
  for (std::size_t warp = 0; warp < threads.size(); warp += 32) {
    const std::span<float> lanes(threads.data() + warp,
                                 std::min<std::size_t>(32, threads.size() - warp));
    for (const std::size_t offset : offsets) shuffle_down(lanes, offset);
    totals.push_back(lanes[0]);
  }
  return totals;
}

inline constexpr std::size_t upward[] = {1, 2, 4, 8, 16};
inline constexpr std::size_t downward[] = {16, 8, 4, 2, 1};

/// Element i adds element i + n/2, then n/4, …: n a power of two.
inline float halved(std::vector<float> values) {
  for (std::size_t half = values.size() / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) values[i] += values[i + half];
  return values[0];
}

inline float folded(std::span<const float> values) {
  float total = values[0];
  for (std::size_t i = 1; i < values.size(); ++i) total += values[i];
  return total;
}

}  // namespace whybits::test
