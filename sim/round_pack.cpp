// The one place through which every result leaves.
//
//            leading one        ulp_exponent
//                 v                  v
//   significand:  1 x x x x x x x x  L  G R s s s s s s (sticky: a little more)
//                 `----- kept ------'   | | `- sticky = any of these
//                    p bits             | `- round
//                                       `- guard = one half of the last place
//
// A result below the smallest normal keeps fewer bits: its last place is the format's quantum.
// `inline` keeps the 128-bit values of the common path in registers.
#include "sim/bit_width.hpp"
#include "sim/rounding.hpp"

namespace whybits {

namespace {

/// A value cut at a last place: what is kept, and what is dropped as a fraction of that place in
/// units of 2^-128, with the bits that are too small even for that in `sticky`.
struct Split {
  Uint128 kept = 0;
  Uint128 tail = 0;
  bool sticky = false;

  bool inexact() const { return tail != 0 || sticky; }
  bool guard() const { return (tail >> 127) != 0; }
  bool round() const { return ((tail >> 126) & 1) != 0; }
  bool below_guard() const { return (tail << 1) != 0 || sticky; }
  bool below_round() const { return (tail << 2) != 0 || sticky; }
};

/// Cuts off the lowest `drop` bits.
inline Split split_at(const Unrounded& value, int drop) {
  const Uint128 significand = value.significand;
  if (drop <= 0) return {significand << -drop, 0, value.sticky};
  if (drop < 128) return {significand >> drop, significand << (128 - drop), value.sticky};
  if (drop == 128) return {0, significand, value.sticky};
  if (drop < 256) {
    const Uint128 tail = significand >> (drop - 128);
    return {0, tail, value.sticky || (tail << (drop - 128)) != significand};
  }
  return {0, 0, true};
}

/// Whether random bits carry when they are added to as many of the highest dropped ones.
inline bool random_carries(const Split& split, const RandomBits& random) {
  if (random.count == 0) return false;
  const auto dropped = static_cast<std::uint64_t>(split.tail >> (128 - random.count));
  return ((dropped + random.value) >> random.count) != 0;
}

/// Whether the magnitude goes up by one unit in the last place.
inline bool rounds_away(const Split& split, bool negative, const RoundRule& rule) {
  const bool odd = (split.kept & 1) != 0;
  switch (rule.rounding) {
    case Rounding::nearest_even:
      return split.guard() & (odd | split.below_guard());
    case Rounding::nearest_away:
      return split.guard();
    case Rounding::zero:
      return false;
    case Rounding::up:
      return split.inexact() && !negative;
    case Rounding::down:
      return split.inexact() && negative;
    case Rounding::odd:
      return split.inexact() && !odd;
    case Rounding::stochastic:
      return random_carries(split, rule.random);
  }
  return false;
}

/// Whether a rounding can reach infinity from a finite value of this sign.
bool points_outward(Rounding rounding, bool negative) {
  switch (rounding) {
    case Rounding::nearest_even:
    case Rounding::nearest_away:
    case Rounding::stochastic:
      return true;
    case Rounding::up:
      return !negative;
    case Rounding::down:
      return negative;
    case Rounding::zero:
    case Rounding::odd:
      return false;
  }
  return false;
}

bool flushes_results(Flush flush) {
  return flush == Flush::out || flush == Flush::both;
}

/// Whether a value below the smallest normal number is tiny. Only in the binade just below can a
/// rounding to full precision still carry it up to that number.
bool is_tiny(const Format& format, const Unrounded& value, int exponent, const RoundRule& rule) {
  if (rule.tininess == Tininess::before || exponent < format.min_exponent() - 1) return true;
  const Split full = split_at(value, exponent - format.fraction_bits - value.exponent);
  const Uint128 rounded = full.kept + (rounds_away(full, value.negative, rule) ? 1 : 0);
  return rounded >> format.precision() == 0;
}

}  // namespace

Bits round_pack(const Format& format, const Unrounded& value, const RoundRule& rule,
                RoundTrace* trace) {
  const Bits sign = format.sign(value.negative);
  if (trace != nullptr) *trace = {};
  if (value.significand == 0) {
    if (trace != nullptr && !format.has_zero) trace->flags = {.underflow = true, .inexact = true};
    return sign;
  }

  const int exponent = value.exponent + bit_width(value.significand) - 1;
  const int lowest = format.min_exponent();
  const int ulp_exponent = (exponent < lowest ? lowest : exponent) - format.fraction_bits;
  const Split split = split_at(value, ulp_exponent - value.exponent);
  const bool negative = sign != 0;
  const bool away = rounds_away(split, negative, rule);

  // kept < 2^p. Adding it to the exponent field, less one for its leading one, also carries a
  // significand that rounds up to 2^p into the next binade, and a subnormal into the normals.
  Bits magnitude = 0;
  bool overflow = exponent > format.max_exponent();
  if (!overflow) {
    const auto binade = static_cast<Bits>(ulp_exponent - format.quantum_exponent());
    const Bits places = static_cast<Bits>(split.kept) + (away ? 1 : 0);
    magnitude = (binade << format.fraction_bits) + places;
    // Without zero and subnormals the codes begin at the smallest normal number, and nothing is
    // below it.
    if (!format.has_zero && places != 0) magnitude -= Bits{1} << format.fraction_bits;
    overflow = magnitude > format.max_finite();
  }
  const bool subnormal = !overflow && magnitude != 0 && magnitude >> format.fraction_bits == 0;
  const bool flushed = subnormal && flushes_results(rule.flush);

  if (trace != nullptr) {
    trace->kept = split.kept;
    trace->ulp_exponent = ulp_exponent;
    trace->guard = split.guard();
    trace->round = split.round();
    trace->sticky = split.below_round();
    trace->incremented = away;
    trace->flushed = flushed;
    trace->flags.overflow = overflow;
    trace->flags.inexact = split.inexact() || overflow || flushed;
    trace->flags.underflow =
        trace->flags.inexact && exponent < lowest && is_tiny(format, value, exponent, rule);
    trace->flags.invalid = value.negative && !negative;
  }
  if (overflow) return overflow_code(format, negative, rule);
  return flushed ? sign : sign | magnitude;
}

Bits nan_code(const Format& format, NanRule rule) {
  // A conversion of NaN to a format without one gives the largest number (PTX cvt, e2m1 e2m3 e3m2).
  if (!format.has_nan()) return format.max_finite();
  if (rule == NanRule::gpu) return format.gpu_nan();
  return format.ieee_nan() | format.sign(rule == NanRule::operand);
}

Bits infinity_code(const Format& format, bool negative, const RoundRule& rule) {
  const Bits sign = format.sign(negative);
  if (rule.overflow == Overflow::saturate) return sign | format.max_finite();
  if (format.has_infinity()) return sign | format.infinity();
  return sign | nan_code(format, rule.nan);
}

Bits overflow_code(const Format& format, bool negative, const RoundRule& rule) {
  if (rule.overflow == Overflow::ieee && !points_outward(rule.rounding, negative))
    return format.sign(negative) | format.max_finite();
  return infinity_code(format, negative, rule);
}

std::string_view rounding_name(Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest_even:
      return "nearest-even";
    case Rounding::nearest_away:
      return "nearest-away";
    case Rounding::zero:
      return "zero";
    case Rounding::up:
      return "up";
    case Rounding::down:
      return "down";
    case Rounding::odd:
      return "odd";
    case Rounding::stochastic:
      return "stochastic";
  }
  return "";
}

std::string_view rounding_suffix(Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest_even:
      return "";
    case Rounding::nearest_away:
      return ".rna";
    case Rounding::zero:
      return ".rz";
    case Rounding::up:
      return ".ru";
    case Rounding::down:
      return ".rd";
    case Rounding::odd:
      return ".ro";
    case Rounding::stochastic:
      return ".rs";
  }
  return "";
}

std::optional<Rounding> parse_rounding(std::string_view name) {
  if (name == "rne") return Rounding::nearest_even;  // whose suffix in the notation is empty
  for (const Rounding rounding : all_roundings) {
    if (name == rounding_name(rounding)) return rounding;
    const std::string_view suffix = rounding_suffix(rounding);
    if (!suffix.empty() && name == suffix.substr(1)) return rounding;
  }
  return std::nullopt;
}

}  // namespace whybits
