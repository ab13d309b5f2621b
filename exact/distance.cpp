#include "exact/distance.hpp"

#include <algorithm>
#include <limits>

#include "exact/measure.hpp"
#include "sim/arith.hpp"

namespace whybits::exact {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

long width(const Dyadic& x) {
  return static_cast<long>(mpz_sizeinbase(x.mantissa().get_mpz_t(), 2));
}

/// floor(log2 |x|). Precondition: x is not 0.
long binade(const Dyadic& x) {
  return x.exponent() + width(x) - 1;
}

}  // namespace

std::optional<Format> common_format(const Format& a, const Format& b) {
  if (widens_exactly(a, b)) return b;
  if (widens_exactly(b, a)) return a;
  const int fraction_bits = std::max(a.fraction_bits, b.fraction_bits);
  if (fraction_bits > 52) return std::nullopt;
  for (int bits = std::max(a.exponent_bits, b.exponent_bits); bits <= 11; ++bits) {
    const Format wide{bits, fraction_bits, Specials::ieee};
    if (widens_exactly(a, wide) && widens_exactly(b, wide)) return wide;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> ulp_distance(const Format& fa, Bits a, const Format& fb, Bits b) {
  const std::optional<Format> wide = common_format(fa, fb);
  if (!wide) return std::nullopt;
  return ulp_distance(*wide, convert(fa, *wide, a), convert(fb, *wide, b));
}

double quotient(const Dyadic& a, const Dyadic& b) {
  if (a.is_zero()) return 0;
  // Enough bits of the numerator for 64 bits of the quotient.
  const long shift = std::max(0L, 64 + width(b) - width(a));
  const mpz_class scaled = a.mantissa() << static_cast<mp_bitcnt_t>(shift);
  return Dyadic(scaled / b.mantissa(), a.exponent() - b.exponent() - shift).to_double();
}

double error_in_ulps(const Format& format, Bits result, const Dyadic& exact) {
  if (!unpack(format, result).finite()) return not_a_number;
  const long normal = exact.is_zero() ? format.min_exponent()
                                      : std::clamp<long>(binade(exact), format.min_exponent(),
                                                         format.max_exponent());
  return quotient(Dyadic::from_code(format, result) - exact,
                  Dyadic(1, normal - format.fraction_bits));
}

double relative_error(const Format& format, Bits result, const Dyadic& exact) {
  if (!unpack(format, result).finite()) return not_a_number;
  const Dyadic error = Dyadic::from_code(format, result) - exact;
  if (error.is_zero()) return 0;
  return exact.is_zero() ? infinite : quotient(error.abs(), exact.abs());
}

double condition_number(const Dyadic& absolute_sum, const Dyadic& sum) {
  if (absolute_sum.is_zero()) return 1;
  return sum.is_zero() ? infinite : quotient(absolute_sum, sum.abs());
}

}  // namespace whybits::exact
