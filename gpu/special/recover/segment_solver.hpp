// Which integer triples of a segment give all of its observed outputs.
//
// Every output bounds T0·2^shift0 + T1·r + T2·q from both sides. Least squares finds where the
// triples lie; then every T2 and T1 for which some real T0 is within all bounds is visited (the
// room that they leave T0 is a concave function of T1 and of T2, so the visits stop where it ends),
// and the integers T0 in that room are counted. The count is exact, not a sample.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/special/interpolate.hpp"

namespace whybits::gpu::special {

/// low ≤ T0·2^shift0 + T1·r + T2·q ≤ high.
struct Observation {
  std::int64_t r, q, low, high;
};

struct Solutions {
  whybits::special::Segment first{};  ///< of least T2, T1, T0; meaningless if there is none
  std::uint64_t count = 0;
};

/// O(observations · visited pairs); ten observations or more that are no single parabola's.
Solutions solve_segment(const std::vector<Observation>& seen, unsigned shift0);

}  // namespace whybits::gpu::special
