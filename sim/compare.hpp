// Comparisons of IEEE 754 §5.6.1 and §5.11, and the neighbours of a number (§5.3.1). Comparing
// rounds nothing; the only flag is invalid.
#pragma once

#include "sim/flags.hpp"
#include "sim/format.hpp"

namespace whybits {

enum class Relation : std::uint8_t { less, equal, greater, unordered };

/// How a stands to b: −0 equals +0, a NaN is unordered with everything.
Relation relation(const Format& format, Bits a, Bits b);

/// Which NaN makes a comparison invalid: a signalling one, or any.
enum class NanSignal : std::uint8_t { quiet, signalling };

/// a = b, a < b, a ≤ b; false if unordered. Programming languages mean the quiet = and the
/// signalling < and ≤ (TestFloat's eq, lt, le); the others are its eq_signaling, lt_quiet,
/// le_quiet.
bool equal(const Format&, Bits a, Bits b, NanSignal = NanSignal::quiet, Flags* = nullptr);
bool less(const Format&, Bits a, Bits b, NanSignal = NanSignal::signalling, Flags* = nullptr);
bool less_equal(const Format&, Bits a, Bits b, NanSignal = NanSignal::signalling, Flags* = nullptr);

/// The least code above, the greatest below. Both zeros have the same neighbours; an infinity, or
/// the largest number of a format that has none, is its own neighbour outward; NaN gives NaN.
Bits next_up(const Format& format, Bits code);
Bits next_down(const Format& format, Bits code);

/// Exponent of a finite number's last place; a zero's is that of the smallest subnormal.
int ulp_exponent(const Format& format, Bits code);

/// Codes in the order of their values, −0 just below +0; NaN outside of all numbers.
inline std::int64_t order_of(const Format& format, Bits code) {
  const auto magnitude = static_cast<std::int64_t>(code & ~format.sign_mask());
  return (code & format.sign_mask()) != 0 ? ~magnitude : magnitude;
}

}  // namespace whybits
