// What one step of a reduction does to an error bound: the ε and η of error_bound.hpp, for every
// kind of step, in numbers that are rounded up to 128 bits.
#pragma once

#include "sim/dyadic.hpp"
#include "sim/rounding.hpp"
#include "sim/unit.hpp"

namespace whybits::exact {

/// At least x, with 128 bits. Precondition: x ≥ 0. Sums, products and powers are rounded up so.
Dyadic rounded_up(const Dyadic& x);
Dyadic times(const Dyadic& a, const Dyadic& b);
Dyadic plus(const Dyadic& a, const Dyadic& b);
Dyadic power(Dyadic base, std::uint64_t exponent);
Dyadic whole(std::uint64_t n);
Dyadic two_to(long exponent);

/// What one step does: φ = growth · max φᵢ, α ≤ growth · (Σ αᵢ + loss).
struct Effect {
  Dyadic growth = Dyadic(1, 0);
  Dyadic loss;

  /// The effect of this and then of another.
  Effect then(const Effect& next) const;
};

Effect effect_of_add(const Format& format, const RoundRule& rule);
Effect effect_of_conversion(const Format& from, const Conversion& to);
Effect effect_of_fma(const Format& format, const RoundRule& rule);
/// `a`, `b`: formats of the operands as they enter.
Effect effect_of_aligned(const Unit& unit, const Format& a, const Format& b);

/// Do subnormal operands become zeros?
bool flushes_in(Flush flush);
/// Can an overflow hide as a finite number?
bool overflows_to_finite(const Format& format, const RoundRule& rule);

}  // namespace whybits::exact
