#include "sim/special/unit.hpp"

#include <bit>

#include "sim/special/datapaths.hpp"
#include "sim/special/device_float.hpp"
#include "sim/special/tables.hpp"

namespace whybits::special::unit {
namespace {

using words::infinity;
using words::minus;
using words::nan;
constexpr std::uint32_t hidden_one = 1U << 23;
constexpr std::uint32_t fraction_bits = hidden_one - 1;
constexpr int bias = 127;

constexpr Interpolation with(Interpolation path, std::span<const Segment> segments) {
  path.segments = segments;
  return path;
}

std::int64_t run(const Interpolation& path, std::uint32_t argument, Trace* trace) {
  const std::int64_t sum = interpolate(path, argument);
  if (trace != nullptr) {
    trace->path = path;
    trace->argument = argument;
    trace->sum = sum;
  }
  return sum;
}

struct Fields {
  std::uint32_t sign, fraction;  ///< the sign in its place
  int exponent;                  ///< biased
  bool zero, infinite, nan;      ///< subnormals are zero
};
Fields fields(std::uint32_t x) {
  const auto exponent = static_cast<int>(x >> 23 & 255);
  const std::uint32_t fraction = x & fraction_bits;
  return {x & minus,
          fraction,
          exponent,
          exponent == 0,
          exponent == 255 && fraction == 0,
          exponent == 255 && fraction != 0};
}

/// ±significand·2^(exponent − 127 − 23), significand of 24 bits or 2^24. A subnormal becomes zero.
std::uint32_t pack(std::uint32_t sign, int exponent, std::uint32_t significand) {
  if (significand == 2 * hidden_one) {
    significand = hidden_one;
    ++exponent;
  }
  if (exponent <= 0) return sign;
  if (exponent >= 255) return sign | infinity;
  return sign | (static_cast<std::uint32_t>(exponent) << 23) | (significand & fraction_bits);
}

/// ±value·2^-point, cut to 24 bits.
std::uint32_t normalize(std::uint32_t sign, std::uint64_t value, int point) {
  if (value == 0) return sign;
  const auto width = static_cast<int>(std::bit_width(value));
  const std::uint64_t significand = width > 24 ? value >> (width - 24) : value << (24 - width);
  return pack(sign, bias + width - 1 - point, static_cast<std::uint32_t>(significand));
}

/// |x| in units of 2^-point, cut toward zero, its lowest 32 bits; x is finite.
std::uint32_t fixed(const Fields& x, int point) {
  if (x.zero) return 0;
  const int shift = x.exponent - bias - 23 + point;
  const std::uint32_t significand = x.fraction | hidden_one;
  if (shift <= -24 || shift >= 32) return 0;
  return shift >= 0 ? significand << shift : significand >> -shift;
}

/// The argument of both roots: the lowest bit of the exponent and the fraction.
std::uint32_t root_argument(const Fields& x) {
  return x.fraction | (static_cast<std::uint32_t>(~x.exponent & 1) << 23);
}

int floor_half(int x) {
  return x >> 1;
}

/// sin of a quarter's part, quarters counted from 0.
std::uint32_t sine(std::uint32_t sign, std::uint32_t quarters_23, Trace* trace) {
  constexpr Interpolation path = with(datapaths::sin, tables::sin);
  const std::uint32_t quarter = quarters_23 >> 23;
  const std::uint32_t part = (quarter & 1U) != 0 ? ~quarters_23 : quarters_23;
  const std::int64_t sum = run(path, part & fraction_bits, trace);
  if ((quarter & 2U) != 0) sign ^= minus;
  return normalize(sign, static_cast<std::uint64_t>(sum), 37);
}

std::uint32_t rcp_of(std::uint32_t word, Trace* trace) {
  constexpr Interpolation path = with(datapaths::rcp, tables::rcp);
  const Fields x = fields(word);
  if (x.nan) return nan;
  if (x.zero) return x.sign | infinity;
  if (x.infinite) return x.sign;
  const std::int64_t sum = run(path, x.fraction, trace);
  return pack(x.sign, 2 * bias - 1 - x.exponent, static_cast<std::uint32_t>(sum >> path.drop));
}

std::uint32_t rsqrt_of(std::uint32_t word, Trace* trace) {
  constexpr Interpolation path = with(datapaths::rsqrt, tables::rsqrt);
  const Fields x = fields(word);
  if (x.nan) return nan;
  if (x.zero) return x.sign | infinity;
  if (x.sign != 0) return nan;
  if (x.infinite) return 0;
  const int exponent = bias - 1 - floor_half(x.exponent - bias);
  const std::uint32_t argument = root_argument(x);
  if (argument == 0) return pack(0, exponent + 1, hidden_one);  // a power of four
  const std::int64_t sum = run(path, argument, trace);
  return pack(0, exponent, static_cast<std::uint32_t>(sum >> path.drop));
}

std::uint32_t sqrt_of(std::uint32_t word, Trace* trace) {
  constexpr Interpolation path = with(datapaths::sqrt, tables::sqrt);
  const Fields x = fields(word);
  if (x.nan) return nan;
  if (x.zero) return x.sign;
  if (x.sign != 0) return nan;
  if (x.infinite) return infinity;
  const std::int64_t sum = run(path, root_argument(x), trace);
  return pack(0, bias + floor_half(x.exponent - bias),
              static_cast<std::uint32_t>(sum >> path.drop));
}

std::uint32_t lg2_of(std::uint32_t word, Trace* trace) {
  constexpr Interpolation path = with(datapaths::lg2, tables::lg2);
  constexpr int point = 36;
  const Fields x = fields(word);
  if (x.nan) return nan;
  if (x.zero) return minus | infinity;
  if (x.sign != 0) return nan;
  if (x.infinite) return infinity;
  const int exponent = x.exponent - bias;
  if (exponent == 0 && x.fraction == 0) return 0;
  const std::int64_t sum = run(path, x.fraction, trace);
  const std::int64_t value = (sum >> path.drop) + exponent * (std::int64_t{1} << point);
  return value < 0 ? normalize(minus, static_cast<std::uint64_t>(~value), point)
                   : normalize(0, static_cast<std::uint64_t>(value), point);
}

std::uint32_t ex2_of(std::uint32_t word, Trace* trace) {
  constexpr Interpolation path = with(datapaths::ex2, tables::ex2);
  const Fields x = fields(word);
  if (x.nan) return nan;
  if (x.exponent >= bias + 7) return x.sign != 0 ? 0 : infinity;
  const std::uint32_t value = fixed(x, 23);
  auto whole = static_cast<int>(value >> 23);
  std::uint32_t part = value & fraction_bits;
  if (x.sign != 0) {
    whole = part == 0 ? -whole : ~whole;
    part = part == 0 ? 0 : ~part & fraction_bits;
  }
  const std::int64_t sum = run(path, part, trace);
  return pack(0, bias + whole, static_cast<std::uint32_t>(sum >> path.drop));
}

std::uint32_t sin_of(std::uint32_t turns, Trace* trace) {
  const Fields x = fields(turns);
  if (x.nan || x.infinite) return nan;
  return sine(x.sign, fixed(x, 25), trace);
}

std::uint32_t cos_of(std::uint32_t turns, Trace* trace) {
  const Fields x = fields(turns);
  if (x.nan || x.infinite) return nan;
  return sine(0, fixed(x, 25) + hidden_one, trace);
}

std::uint32_t tanh_of(std::uint32_t word, Trace* trace) {
  constexpr Interpolation path = with(datapaths::tanh, tables::tanh);
  const Fields x = fields(word);
  const int e = x.exponent - bias;
  if (x.nan) return nan;
  if (e < -8) return word;
  if (e > 2) return x.sign | 0x3f800000;
  const std::int64_t sum = run(path, datapaths::tanh_argument(e, x.fraction), trace);
  return normalize(x.sign, static_cast<std::uint64_t>(sum), 39);
}

using Operation = std::uint32_t (*)(std::uint32_t, Trace*);

template <Operation F>
std::uint32_t kept(std::uint32_t x, Trace* trace) {
  const std::uint32_t y = F(x, trace);
  if (trace != nullptr) {
    trace->operand = x;
    trace->result = y;
  }
  return y;
}

}  // namespace

std::uint32_t rcp(std::uint32_t x, Trace* trace) {
  return kept<rcp_of>(x, trace);
}

std::uint32_t rsqrt(std::uint32_t x, Trace* trace) {
  return kept<rsqrt_of>(x, trace);
}

std::uint32_t sqrt(std::uint32_t x, Trace* trace) {
  return kept<sqrt_of>(x, trace);
}

std::uint32_t lg2(std::uint32_t x, Trace* trace) {
  return kept<lg2_of>(x, trace);
}

std::uint32_t ex2(std::uint32_t x, Trace* trace) {
  return kept<ex2_of>(x, trace);
}

std::uint32_t sin(std::uint32_t turns, Trace* trace) {
  return kept<sin_of>(turns, trace);
}

std::uint32_t cos(std::uint32_t turns, Trace* trace) {
  return kept<cos_of>(turns, trace);
}

std::uint32_t tanh(std::uint32_t x, Trace* trace) {
  return kept<tanh_of>(x, trace);
}

}  // namespace whybits::special::unit
