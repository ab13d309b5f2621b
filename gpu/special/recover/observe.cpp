#include "gpu/special/recover/observe.hpp"

#include <cmath>
#include <numbers>

#include "sim/special/datapaths.hpp"
#include "sim/special/instructions.hpp"

namespace whybits::gpu::special {
namespace {

using whybits::special::Interpolation;
namespace datapaths = whybits::special::datapaths;
using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t fraction_bits = 0x7fffff;
constexpr std::int64_t hidden_one = 0x800000;

/// Integers from low to high.
struct Range {
  std::int64_t low, high;
};

/// The values of a fixed-point number, in units of 2^-point, that are |word| when cut to 24 bits.
Range before_cut(std::uint32_t word, int point) {
  const int shift = static_cast<int>(word >> 23 & 255) - 127 - 23 + point;
  const std::int64_t significand = (word & fraction_bits) | hidden_one;
  if (shift < 0) return {significand >> -shift, significand >> -shift};
  return {significand << shift, (significand << shift) + (std::int64_t{1} << shift) - 1};
}

class Segments {
 public:
  Segments(const Interpolation& path, std::size_t count) : path_(path), seen_(count) {}

  /// The sum without its dropped bits is within `result` at this argument.
  void add(std::uint32_t argument, Range result) {
    const std::uint32_t r = low_part(path_, argument);
    const std::int64_t q = std::int64_t{whybits::special::square(r << path_.square_shift)}
                           << path_.shift2;
    const std::int64_t one = std::int64_t{1} << path_.drop;
    seen_[segment_of(path_, argument)].push_back(
        {r, q, result.low * one - path_.bias, result.high * one + one - 1 - path_.bias});
  }
  /// `word` is the result as 24 bits below 2^(exponent + 1).
  void add_significand(std::uint32_t argument, std::uint32_t word, int exponent) {
    const Range all = before_cut(word, 23 - exponent);
    add(argument, {all.low, all.low});
  }
  std::vector<std::vector<Observation>> take() { return std::move(seen_); }

 private:
  Interpolation path_;
  std::vector<std::vector<Observation>> seen_;
};

std::vector<std::vector<Observation>> rcp(const Words& y) {
  Segments all(datapaths::rcp, 128);
  for (std::uint32_t i = 0; i < y.size(); ++i) all.add_significand(i, y[i], -1);
  return all.take();
}

std::vector<std::vector<Observation>> rsqrt(const Words& y) {
  Segments all(datapaths::rsqrt, 128);
  for (std::uint32_t i = 1; i < y.size(); ++i) all.add_significand(i, y[i], -1);
  return all.take();
}

std::vector<std::vector<Observation>> sqrt(const Words& y) {
  Segments all(datapaths::sqrt, 128);
  for (std::uint32_t i = 0; i < y.size(); ++i) all.add_significand(i, y[i], 0);
  return all.take();
}

/// [1/2, 1) and then [1, 2), whose first is exact.
std::vector<std::vector<Observation>> lg2(const Words& y) {
  constexpr std::int64_t one = std::int64_t{1} << 36;
  Segments all(datapaths::lg2, 64);
  for (std::uint32_t i = 0; i < y.size(); ++i) {
    const std::uint32_t argument = i & fraction_bits;
    const Range size = before_cut(y[i], 36);
    if (i < hidden_one)
      all.add(argument, {one + ~size.high, one + ~size.low});
    else if (argument != 0)
      all.add(argument, size);
  }
  return all.take();
}

/// [0, 1) and then (−1, 0], whose first is −0.
std::vector<std::vector<Observation>> ex2(const Words& y) {
  Segments all(datapaths::ex2, 64);
  for (std::uint32_t i = 0; i < y.size(); ++i) {
    const bool negative = i > hidden_one;
    all.add_significand(negative ? ~i & fraction_bits : i & fraction_bits, y[i], negative ? -1 : 0);
  }
  return all.take();
}

/// Sines and then cosines of the first quarter.
std::vector<std::vector<Observation>> sin(const Words& y) {
  Segments all(datapaths::sin, 64);
  for (std::uint32_t i = 0; i < y.size(); ++i) {
    const double sample = (i & fraction_bits) + 0.5;
    const auto radians = static_cast<float>(sample * 0x1p-25 * 2 * std::numbers::pi);
    const auto quarter = static_cast<std::uint32_t>(
        double{whybits::special::value(
            whybits::special::turns(whybits::special::word(radians), whybits::special::Ftz::no))} *
        0x1p25);
    const bool cosine = i >= hidden_one;
    if (y[i] != 0 && quarter < hidden_one)
      all.add(cosine ? ~quarter & fraction_bits : quarter, before_cut(y[i], 37));
  }
  return all.take();
}

/// 18 binades from 2^-13 on, every 32nd, and then all of [1/2, 1).
std::vector<std::vector<Observation>> tanh(const Words& y) {
  constexpr std::uint32_t some = 18U << 18;
  Segments all(datapaths::tanh, datapaths::tanh_segments);
  std::vector<bool> seen(std::size_t{datapaths::tanh_segments} << 17);
  for (std::uint32_t i = 0; i < y.size(); ++i) {
    const std::uint32_t x = i < some ? 0x39000000U + (i << 5) : 0x3f000000U + (i - some);
    const int e = static_cast<int>(x >> 23) - 127;
    if (e < -8 || e > 2) continue;
    const std::uint32_t argument = datapaths::tanh_argument(e, x & fraction_bits);
    if (!seen[argument]) all.add(argument, before_cut(y[i], 39));
    seen[argument] = true;
  }
  return all.take();
}

}  // namespace

const std::vector<Observed>& observed_functions() {
  static const std::vector<Observed> all{{"rcp", "rcp", datapaths::rcp, rcp},
                                         {"rsqrt", "rsqrt", datapaths::rsqrt, rsqrt},
                                         {"sqrt", "sqrt", datapaths::sqrt, sqrt},
                                         {"lg2", "lg2", datapaths::lg2, lg2},
                                         {"ex2", "ex2_plus ex2_minus", datapaths::ex2, ex2},
                                         {"sin", "sin cos", datapaths::sin, sin},
                                         {"tanh", "tanh_some tanh_half", datapaths::tanh, tanh}};
  return all;
}

}  // namespace whybits::gpu::special
