#include "exact/oracle.hpp"

#include <gmpxx.h>

#include <stdexcept>

#include "exact/real.hpp"

namespace whybits::exact {
namespace {

// Products of f64 lie between 2^−2148 and 2^2048; 2^63 of them need 63 bits more.
constexpr mpfr_prec_t exact_precision = 2148 + 2048 + 64;

/// MPFR says of every operation whether it was exact. If one was not, the judge is wrong.
void require_exact(int ternary) {
  if (ternary != 0) throw std::logic_error("an MPFR sum that must be exact was rounded");
}

/// The sum of the products in index order. `rounding` decides only the sign of an exact zero.
Real exact_dot(const CodeSpan& a, const CodeSpan& b, mpfr_rnd_t rounding) {
  if (a.codes.size() != b.codes.size())
    throw std::invalid_argument("a dot product of vectors of different lengths");
  Real sum(exact_precision);
  Real product(128);
  mpfr_set_zero(sum.get(), 1);
  for (std::size_t i = 0; i < a.codes.size(); ++i) {
    const Real x = real_from_code(a.format, a.codes[i]);
    const Real y = real_from_code(b.format, b.codes[i]);
    require_exact(mpfr_mul(product.get(), x.get(), y.get(), MPFR_RNDN));
    // The first term is taken as it is, so that a lone −0 stays one.
    require_exact(i == 0 ? mpfr_set(sum.get(), product.get(), rounding)
                         : mpfr_add(sum.get(), sum.get(), product.get(), rounding));
  }
  return sum;
}

mpfr_rnd_t zero_rounding(const RoundRule& rule) {
  return rule.rounding == Rounding::down ? MPFR_RNDD : MPFR_RNDN;
}

/// f(x) truncated at the precision of y; the return value says whether anything was cut off.
int truncated(Function function, Real& y, const Real& x) {
  switch (function) {
    case Function::exp:
      return mpfr_exp(y.get(), x.get(), MPFR_RNDZ);
    case Function::exp2:
      return mpfr_exp2(y.get(), x.get(), MPFR_RNDZ);
    case Function::log:
      return mpfr_log(y.get(), x.get(), MPFR_RNDZ);
    case Function::rsqrt: {
      const int ternary = mpfr_rec_sqrt(y.get(), x.get(), MPFR_RNDZ);
      // MPFR gives +infinity for −0; IEEE 754-2019, 9.2.1, the sign of the zero.
      if (mpfr_zero_p(x.get()) != 0) mpfr_copysign(y.get(), y.get(), x.get(), MPFR_RNDN);
      return ternary;
    }
  }
  return 0;
}

}  // namespace

Bits oracle_sum(const CodeSpan& x, const Format& out, const RoundRule& rule) {
  const Format unit_format = formats::f32;
  const std::vector<Bits> ones(x.codes.size(), 0x3f800000);
  return oracle_dot(x, {unit_format, ones}, out, rule);
}

Bits oracle_dot(const CodeSpan& a, const CodeSpan& b, const Format& out, const RoundRule& rule) {
  return code_from_real(out, exact_dot(a, b, zero_rounding(rule)), rule);
}

Dyadic oracle_dot_value(const CodeSpan& a, const CodeSpan& b) {
  const Real sum = exact_dot(a, b, MPFR_RNDN);
  if (mpfr_number_p(sum.get()) == 0) throw std::domain_error("the sum is infinite or NaN");
  if (mpfr_zero_p(sum.get()) != 0) return {};
  mpz_class mantissa;
  const mpfr_exp_t exponent = mpfr_get_z_2exp(mantissa.get_mpz_t(), sum.get());
  return {mantissa, exponent};
}

Bits oracle_function(Function function, const Format& in, Bits x, const Format& out,
                     const RoundRule& rule) {
  // Truncated with a few bits more than the result has, and one bit set below them if that was
  // inexact: the rounding that follows sees what it would see of the infinite expansion, so that no
  // precision has to be found by trial (S. Boldo, G. Melquiond, "Emulation of FMA and correctly
  // rounded sums: proved algorithms using rounding to odd", IEEE TC 57(4), 2008).
  const mpfr_prec_t precision = out.precision() + 8;
  Real y(precision);
  const int ternary = truncated(function, y, real_from_code(in, x));
  if (ternary == 0) return code_from_real(out, y, rule);
  if (mpfr_zero_p(y.get()) != 0) mpfr_set_ui_2exp(y.get(), 1, -100000, MPFR_RNDN);  // underflow
  Real marked(precision + 1);
  Real mark(2);
  mpfr_set_ui_2exp(mark.get(), 1, mpfr_get_exp(y.get()) - precision - 1, MPFR_RNDN);
  mpfr_setsign(mark.get(), mark.get(), mpfr_signbit(y.get()), MPFR_RNDN);
  mpfr_add(marked.get(), y.get(), mark.get(), MPFR_RNDZ);
  return code_from_real(out, marked, rule);
}

}  // namespace whybits::exact
