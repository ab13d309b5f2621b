#include "exact/step_effect.hpp"

#include <algorithm>

namespace whybits::exact {
namespace {

bool to_nearest(Rounding rounding) {
  return rounding == Rounding::nearest_even || rounding == Rounding::nearest_away;
}

bool flushes_out(Flush flush) {
  return flush == Flush::out || flush == Flush::both;
}

/// 1 + ε of a rounding.
Dyadic growth_of(const Format& format, Rounding rounding) {
  return Dyadic(1, 0) + two_to(to_nearest(rounding) ? -format.precision() : 1 - format.precision());
}

}  // namespace

Dyadic rounded_up(const Dyadic& x) {
  constexpr std::size_t bits = 128;
  const std::size_t width = mpz_sizeinbase(x.mantissa().get_mpz_t(), 2);
  if (width <= bits) return x;
  const mp_bitcnt_t excess = width - bits;
  return {mpz_class(x.mantissa() >> excess) + 1, x.exponent() + static_cast<long>(excess)};
}

Dyadic times(const Dyadic& a, const Dyadic& b) {
  return rounded_up(a * b);
}
Dyadic plus(const Dyadic& a, const Dyadic& b) {
  return rounded_up(a + b);
}
Dyadic whole(std::uint64_t n) {
  return {mpz_class(static_cast<unsigned long>(n)), 0};
}
Dyadic two_to(long exponent) {
  return {1, exponent};
}

Dyadic power(Dyadic base, std::uint64_t exponent) {
  Dyadic result(1, 0);
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = times(result, base);
    base = times(base, base);
  }
  return result;
}

Effect Effect::then(const Effect& next) const {
  return {times(growth, next.growth), plus(loss, next.loss)};
}

bool flushes_in(Flush flush) {
  return flush == Flush::in || flush == Flush::both;
}

Effect effect_of_add(const Format& format, const RoundRule& rule) {
  Effect effect{growth_of(format, rule.rounding), {}};
  const Dyadic smallest_normal = two_to(format.min_exponent());
  if (flushes_in(rule.flush)) effect.loss += whole(2) * smallest_normal;
  if (flushes_out(rule.flush)) effect.loss += smallest_normal;
  return effect;
}

Effect effect_of_conversion(const Format& from, const Conversion& to) {
  Effect effect;
  if (flushes_in(to.rule.flush)) effect.loss += two_to(from.min_exponent());
  if (flushes_out(to.rule.flush)) effect.loss += two_to(to.to.min_exponent());
  if (widens_exactly(from, to.to)) return effect;
  effect.growth = growth_of(to.to, to.rule.rounding);
  effect.loss += two_to(to.to.quantum_exponent());
  return effect;
}

Effect effect_of_fma(const Format& format, const RoundRule& rule) {
  Effect effect = effect_of_add(format, rule);
  effect.loss += two_to(format.quantum_exponent());
  return effect;
}

Effect effect_of_aligned(const Unit& unit, const Format& a, const Format& b) {
  const AlignedSum& sum = unit.aligned;
  const int fraction = std::max(a.fraction_bits + b.fraction_bits, unit.format.fraction_bits);
  const int cut_terms = sum.fraction_bits >= fraction ? sum.addends : sum.addends + 1;
  Dyadic cut = whole(static_cast<std::uint64_t>(cut_terms)) * two_to(-sum.fraction_bits);
  // Block-scaled products are aligned by exponents of element and scale, which subnormal ones, and
  // small elements of a group, may be below by as many bits as both have fractions.
  if (unit.scale)
    cut = cut * two_to(unit.operand_a->fraction_bits + unit.operand_b->fraction_bits +
                       2 * unit.scale->format.fraction_bits);
  const int least_exponent = std::max(sum.zero_exponent, unit.format.min_exponent());
  return {growth_of(sum.out, sum.rounding) * (Dyadic(1, 0) + cut),
          cut * two_to(least_exponent) + two_to(sum.out.quantum_exponent())};
}

bool overflows_to_finite(const Format& format, const RoundRule& rule) {
  if (rule.overflow == Overflow::saturate || !format.has_nan()) return true;
  return rule.overflow == Overflow::ieee && !to_nearest(rule.rounding);
}

}  // namespace whybits::exact
