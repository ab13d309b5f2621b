#include "gpu/special/recover/segment_solver.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace whybits::gpu::special {
namespace {

/// What all observations leave for T0·2^shift0, given the other two.
struct Room {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  std::int64_t width() const { return high - low; }
};

Room room(const std::vector<Observation>& seen, std::int64_t t1, std::int64_t t2) {
  Room all;
  for (const Observation& o : seen) {
    const std::int64_t rest = t1 * o.r + t2 * o.q;
    all.low = std::max(all.low, o.low - rest);
    all.high = std::min(all.high, o.high - rest);
  }
  return all;
}

std::int64_t floor_shift(std::int64_t value, unsigned bits) {
  return value >> bits;
}

/// Integers t with low ≤ t·2^bits ≤ high: the first, and how many.
std::pair<std::int64_t, std::uint64_t> multiples(const Room& within, unsigned bits) {
  const std::int64_t first = -floor_shift(-within.low, bits);
  const std::int64_t last = floor_shift(within.high, bits);
  return {first, last < first ? 0 : static_cast<std::uint64_t>(last - first + 1)};
}

/// middle ≈ a + b·r + c·q, and how far b moves for a unit of c that is taken away.
struct Parabola {
  double b = 0, c = 0, b_per_c = 0;
};

Parabola least_squares(const std::vector<Observation>& seen) {
  const auto n = static_cast<double>(seen.size());
  const auto middle = [](const Observation& o) { return static_cast<double>(o.low + o.high) / 2; };
  double r = 0, q = 0, y = 0;
  for (const Observation& o : seen) {
    r += static_cast<double>(o.r) / n;
    q += static_cast<double>(o.q) / n;
    y += middle(o) / n;
  }
  double rr = 0, rq = 0, qq = 0, ry = 0, qy = 0;
  for (const Observation& o : seen) {
    const double dr = static_cast<double>(o.r) - r;
    const double dq = static_cast<double>(o.q) - q;
    const double dy = middle(o) - y;
    rr += dr * dr;
    rq += dr * dq;
    qq += dq * dq;
    ry += dr * dy;
    qy += dq * dy;
  }
  const double determinant = rr * qq - rq * rq;
  return {(ry * qq - qy * rq) / determinant, (qy * rr - ry * rq) / determinant, rq / rr};
}

/// The argument of the largest value of a concave function of the integers.
template <class F>
std::int64_t top(std::int64_t start, const F& f) {
  std::int64_t step = 1;
  std::int64_t best = start;
  std::int64_t value = f(best);
  while (step > 0) {
    const std::array<std::int64_t, 2> next{best - step, best + step};
    const std::array<std::int64_t, 2> values{f(next[0]), f(next[1])};
    const std::size_t better = values[1] > values[0] ? 1 : 0;
    if (values[better] > value) {
      best = next[better];
      value = values[better];
      step *= 2;
    } else {
      step /= 2;
    }
  }
  return best;
}

/// Visits the integers around `middle` for which `visit` is true.
template <class F>
void around(std::int64_t middle, const F& visit) {
  for (std::int64_t i = middle; visit(i); --i) {
  }
  for (std::int64_t i = middle + 1; visit(i); ++i) {
  }
}

bool before(const whybits::special::Segment& a, const whybits::special::Segment& b) {
  return std::array{a.t2, a.t1, a.t0} < std::array{b.t2, b.t1, b.t0};
}

}  // namespace

Solutions solve_segment(const std::vector<Observation>& seen, unsigned shift0) {
  const Parabola near = least_squares(seen);
  const auto best_t1 = [&](std::int64_t t2) {
    const double b = near.b + (near.c - static_cast<double>(t2)) * near.b_per_c;
    return top(std::llround(b), [&](std::int64_t t1) { return room(seen, t1, t2).width(); });
  };
  const std::int64_t middle = top(
      std::llround(near.c), [&](std::int64_t t2) { return room(seen, best_t1(t2), t2).width(); });
  Solutions all;
  around(middle, [&](std::int64_t t2) {
    bool any = false;
    around(best_t1(t2), [&](std::int64_t t1) {
      const Room left = room(seen, t1, t2);
      if (left.width() < 0) return false;
      any = true;
      const auto [first, count] = multiples(left, shift0);
      const whybits::special::Segment found{static_cast<std::int32_t>(first),
                                            static_cast<std::int32_t>(t1),
                                            static_cast<std::int32_t>(t2)};
      if (count > 0 && (all.count == 0 || before(found, all.first))) all.first = found;
      all.count += count;
      return true;
    });
    return any;
  });
  return all;
}

}  // namespace whybits::gpu::special
