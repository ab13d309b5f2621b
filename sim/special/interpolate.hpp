// The one datapath behind a GPU's special functions: a table's row and a short polynomial.
//
// The upper bits of a reduced argument choose a segment, three integers; the lower bits r are the
// place in it: (T0·2^shift0 + T1·r + T2·square(r)·2^shift2 + bias) >> drop.
// Source: envytools nvhw/sfu.c (M. Kościelnicki, 2015, MIT), where it describes the Tesla G80 of
// 2006; checked on an H200 for every argument (docs/special-functions.md).
#pragma once

#include <cstdint>
#include <span>

namespace whybits::special {

struct Segment {
  std::int32_t t0, t1, t2;
};

struct Interpolation {
  std::span<const Segment> segments;
  unsigned low_bits;        ///< width of r
  unsigned shift0, shift2;  ///< of the constant and of the quadratic term
  unsigned square_shift;    ///< r is shifted left before it is squared
  std::int64_t bias;
  unsigned drop;
};

/// About r²/2^19, r < 2^17: of the products b_i·b_j·2^(i+j) of r's bits the squarer leaves out
/// those below 2^18. With r = high·2^9 + low that is all of low², and most of high·low for small
/// highs.
constexpr std::uint32_t square(std::uint32_t r) {
  const std::uint32_t high = r >> 9;
  const std::uint32_t low = r & 511U;
  std::uint32_t mixed = 0;
  for (unsigned i = 1; i < 8; ++i) mixed += (low >> (9 - i)) & (0U - (high >> i & 1U));
  return high * high / 2 + mixed;
}

constexpr std::uint32_t segment_of(const Interpolation& f, std::uint32_t argument) {
  return argument >> f.low_bits;
}
constexpr std::uint32_t low_part(const Interpolation& f, std::uint32_t argument) {
  return argument & ((1U << f.low_bits) - 1);
}

/// Before the last bits are dropped; `argument` below segments · 2^low_bits.
constexpr std::int64_t interpolate(const Interpolation& f, std::uint32_t argument) {
  const Segment& t = f.segments[segment_of(f, argument)];
  const std::uint32_t r = low_part(f, argument);
  const std::int64_t squared = square(r << f.square_shift);
  return (std::int64_t{t.t0} << f.shift0) + std::int64_t{t.t1} * r +
         ((std::int64_t{t.t2} * squared) << f.shift2) + f.bias;
}

}  // namespace whybits::special
