// Exact sums and dot products at memory speed.
//
// Every value and every product of two values, of any formats up to f64, is a multiple of 2^−2148
// (2^−1074 squared) and below 2^2048. The accumulator is a fixed-point number over that whole
// range: 32-bit limbs, each held in a signed 64-bit integer, so that an addition touches two to
// four limbs and propagates no carry (R. Neal, arXiv:1505.05571, the small superaccumulator).
//
// Why it is exact. A deposit adds to a limb an integer below 2^32 in magnitude. After `renormalise`
// all limbs lie in [0, 2^32) but the highest one in use, which has the sign and is below 2^32 in
// magnitude as well. It runs before 2^30 deposits have been made, so that no limb passes
// 2^32 + 2^30 · 2^32 < 2^63. The two limbs above bit 2048 take the carries of up to 2^63 terms.
// Nothing is ever rounded before round_to. Many terms at once: exact/exact_dot.hpp.
//
// NaN and infinities follow IEEE addition and multiplication: any NaN, infinity times zero, or
// infinities of both signs give NaN; else an infinity wins. An exact zero has the sign that IEEE
// gives it (round_to).
#pragma once

#include <array>
#include <cstdint>

#include "sim/dyadic.hpp"
#include "sim/format.hpp"
#include "sim/rounding.hpp"

namespace whybits {

class Superaccumulator {
 public:
  void add(const Unpacked& value);
  void add(const Format& format, Bits code) { add(unpack(format, code)); }
  void add_product(const Unpacked& a, const Unpacked& b);

  /// Adds value · 2^exponent, gathered from terms that were not zero (they may have cancelled).
  /// Precondition: the exponent of every term lies in [−2148, 1942].
  void add_integer(Int128 value, int exponent);
  /// Adds a zero.
  void add_zero(bool negative) { kinds_ |= kind_of(false, negative); }

  /// Adds another exact sum: partial sums may be taken in any grouping.
  Superaccumulator& operator+=(const Superaccumulator& other);

  bool is_finite() const { return specials_ == 0; }
  /// The exact sum. Throws std::domain_error unless is_finite().
  Dyadic value() const;

  /// The exact sum rounded once. An exact zero is −0 if all terms were −0, or if terms of both
  /// signs cancelled and the rounding is down; otherwise +0, as for the empty sum.
  Bits round_to(const Format& format, const RoundRule& rule = {}) const;

 private:
  static constexpr int lowest_exponent = -2148;
  static constexpr int limb_count = 135;
  static constexpr std::uint32_t deposits_before_carry = std::uint32_t{1} << 30;

  /// Flags of terms seen. The first three decide the sign of a zero sum.
  enum Kind : std::uint8_t { positive_zero = 1, negative_zero = 2, nonzero = 4 };
  enum Special : std::uint8_t { nan = 1, positive_infinity = 2, negative_infinity = 4 };

  /// Sign and magnitude of the sum, limbs in [0, 2^32), zero outside low … top. `top` is the
  /// highest one that is not zero, −1 if all are.
  struct Magnitude {
    bool negative = false;
    int low = 0;
    int top = -1;
    std::array<std::int64_t, limb_count> limbs{};
  };

  static std::uint8_t kind_of(bool is_nonzero, bool negative);
  void deposit(std::uint64_t significand, int exponent, bool negative);
  void add_special(const Unpacked& a, const Unpacked& b);
  void renormalise();
  Magnitude magnitude() const;
  bool zero_is_negative(Rounding rounding) const;

  std::array<std::int64_t, limb_count> limbs_{};
  int low_ = limb_count;  ///< limbs outside [low_, high_] are zero
  int high_ = -1;
  std::uint32_t deposits_ = 0;
  std::uint8_t kinds_ = 0;
  std::uint8_t specials_ = 0;
};

}  // namespace whybits
