#include "exact/oracle_elements.hpp"

#include <gmpxx.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "exact/rounded_real.hpp"

namespace whybits::exact {
namespace {

/// m · 2^e.
struct Scaled {
  mpz_class mantissa;
  long exponent = 0;
};

Scaled scaled(const Real& value) {
  if (mpfr_zero_p(value.get()) != 0) return {};
  Scaled result;
  result.exponent = mpfr_get_z_2exp(result.mantissa.get_mpz_t(), value.get());
  return result;
}

mpz_class shifted(const mpz_class& value, long by) {
  return value << static_cast<mp_bitcnt_t>(by);
}

Scaled operator+(const Scaled& a, const Scaled& b) {
  const long exponent = std::min(a.exponent, b.exponent);
  return {shifted(a.mantissa, a.exponent - exponent) + shifted(b.mantissa, b.exponent - exponent),
          exponent};
}

long width(const mpz_class& value) {
  return static_cast<long>(mpz_sizeinbase(value.get_mpz_t(), 2));
}

/// The square root of numerator/denominator, both positive, rounded to `out` with a sign.
Bits rounded_root(const Scaled& numerator, const Scaled& denominator, bool negative,
                  const Format& out, const RoundRule& rule) {
  // floor(√(N·2^shift / D)) = floor(√(floor(N·2^shift / D))) has the bits that `out` needs and
  // more, and the remainders say whether it is the whole truth.
  const long exponent = numerator.exponent - denominator.exponent;
  const long wanted = 2L * (out.precision() + 8);
  long shift = std::max(0L, wanted + width(denominator.mantissa) - width(numerator.mantissa));
  if ((exponent - shift) % 2 != 0) ++shift;
  mpz_class quotient, remainder, root, rest;
  mpz_fdiv_qr(quotient.get_mpz_t(), remainder.get_mpz_t(),
              shifted(numerator.mantissa, shift).get_mpz_t(), denominator.mantissa.get_mpz_t());
  mpz_sqrtrem(root.get_mpz_t(), rest.get_mpz_t(), quotient.get_mpz_t());
  Real value(width(root));
  mpfr_set_z_2exp(value.get(), root.get_mpz_t(), (exponent - shift) / 2, MPFR_RNDN);  // exact
  mpfr_setsign(value.get(), value.get(), negative ? 1 : 0, MPFR_RNDN);
  return code_from_truncated(out, value, remainder == 0 && rest == 0, rule);
}

bool negative(const Real& value) {
  return mpfr_signbit(value.get()) != 0;
}
bool is_zero(const Real& value) {
  return mpfr_zero_p(value.get()) != 0;
}
bool is_infinite(const Real& value) {
  return mpfr_inf_p(value.get()) != 0;
}
bool is_nan(const Real& value) {
  return mpfr_nan_p(value.get()) != 0;
}

std::vector<Real> reals(const CodeSpan& x) {
  std::vector<Real> values;
  for (const Bits code : x.codes) values.push_back(real_from_code(x.format, code));
  return values;
}

template <class Is>
bool any(const std::vector<Real>& values, Is is) {
  return std::any_of(values.begin(), values.end(), is);
}

void require_index(const CodeSpan& x, std::size_t j) {
  if (j >= x.codes.size()) throw std::invalid_argument("an element beyond the end of its vector");
}

Bits nan_result(const Format& out, const RoundRule& rule) {
  return code_from_real(out, Real(out.precision()), rule);
}

Bits signed_result(const Format& out, bool minus, bool infinite, const RoundRule& rule) {
  Real value(out.precision());
  if (infinite)
    mpfr_set_inf(value.get(), minus ? -1 : 1);
  else
    mpfr_set_zero(value.get(), minus ? -1 : 1);
  return code_from_real(out, value, rule);
}

/// Bits of the exact difference of two f64, times a third.
constexpr mpfr_prec_t difference_precision = 2200;

/// s·(x − y), exact, in as few bits as it needs.
Real scaled_difference(const Real& scale, const Real& x, const Real& y) {
  Real difference(difference_precision);
  const int first = mpfr_sub(difference.get(), x.get(), y.get(), MPFR_RNDN);
  const int second = mpfr_mul(difference.get(), difference.get(), scale.get(), MPFR_RNDN);
  if (first != 0 || second != 0)
    throw std::logic_error("a difference that must be exact was rounded");
  const mpfr_prec_t needed = std::max<mpfr_prec_t>(mpfr_min_prec(difference.get()), 2);
  Real result(needed);
  mpfr_set(result.get(), difference.get(), MPFR_RNDN);
  return result;
}

/// start + Σ exp(d), rounded down or up throughout.
Real sum_of_exponentials(const std::vector<Real>& differences, unsigned long start,
                         mpfr_prec_t precision, mpfr_rnd_t direction) {
  Real sum(precision), term(precision);
  mpfr_set_ui(sum.get(), start, direction);
  for (const Real& d : differences) {
    mpfr_exp(term.get(), d.get(), direction);
    mpfr_add(sum.get(), sum.get(), term.get(), direction);
  }
  return sum;
}

mpfr_prec_t share_precision(const Format& out) {
  return out.precision() + 8;
}

/// Is 1/(m + δ), δ ≤ `most`, between 1/m and any number of share_precision bits below it? 1/m is at
/// least 2^−q / 2m, relatively, above the nearest of them.
bool vanishes(const Real& most, unsigned long m, const Format& out) {
  if (is_zero(most)) return true;
  const long bits = static_cast<long>(share_precision(out)) + width(mpz_class(m)) + 4;
  return !is_infinite(most) && mpfr_get_exp(most.get()) < -bits;
}

/// 1/m, or a number that is less by next to nothing.
Bits share_of(unsigned long m, bool less, const Format& out, const RoundRule& rule) {
  Real share(share_precision(out));
  mpfr_set_ui(share.get(), 1, MPFR_RNDN);
  const bool exact = mpfr_div_ui(share.get(), share.get(), m, MPFR_RNDZ) == 0;
  if (exact && less) mpfr_nextbelow(share.get());
  return code_from_truncated(out, share, exact && !less, rule);
}

}  // namespace

Bits oracle_rms_norm(const CodeSpan& x, std::size_t j, const Scalar& w, const Scalar& epsilon,
                     const Format& out, const RoundRule& rule) {
  require_index(x, j);
  const Real eps = real_from_code(epsilon.format, epsilon.code);
  if (mpfr_number_p(eps.get()) == 0 || mpfr_sgn(eps.get()) < 0)
    throw std::invalid_argument("epsilon must be a finite number and not negative");
  const std::vector<Real> values = reals(x);
  const Real weight = real_from_code(w.format, w.code);
  const Real& xj = values[j];
  const bool minus = negative(xj) != negative(weight);
  if (is_nan(weight) || any(values, is_nan)) return nan_result(out, rule);
  if (any(values, is_infinite)) {  // a scale of zero
    if (is_infinite(xj) || is_infinite(weight)) return nan_result(out, rule);
    return signed_result(out, minus, false, rule);
  }

  // √( (x[j]·w)²·n / (Σx² + n·ε) )
  Scaled squares;
  for (const Real& value : values) {
    const Scaled v = scaled(value);
    squares = squares + Scaled{v.mantissa * v.mantissa, 2 * v.exponent};
  }
  const auto n = static_cast<unsigned long>(values.size());
  const Scaled e = scaled(eps);
  const Scaled denominator = squares + Scaled{e.mantissa * n, e.exponent};
  if (denominator.mantissa == 0) return nan_result(out, rule);
  if (is_infinite(weight))
    return is_zero(xj) ? nan_result(out, rule) : signed_result(out, minus, true, rule);
  if (is_zero(xj) || is_zero(weight)) return signed_result(out, minus, false, rule);
  const Scaled a = scaled(xj), b = scaled(weight);
  const mpz_class product = a.mantissa * b.mantissa;
  return rounded_root({product * product * n, 2 * (a.exponent + b.exponent)}, denominator, minus,
                      out, rule);
}

Bits oracle_softmax(const CodeSpan& x, std::size_t j, const Scalar& scale, const Format& out,
                    const RoundRule& rule) {
  require_index(x, j);
  const Real s = real_from_code(scale.format, scale.code);
  if (mpfr_number_p(s.get()) == 0) throw std::invalid_argument("the scale must be a finite number");
  const std::vector<Real> values = reals(x);
  // t = s·x is NaN for an infinity times zero, else an infinity of the product's sign.
  const auto no_number = [&](const Real& v) {
    return is_nan(v) || (is_infinite(v) && (is_zero(s) || negative(v) == negative(s)));
  };
  if (any(values, no_number)) return nan_result(out, rule);
  if (is_infinite(values[j])) {
    const bool all = !any(values, [](const Real& v) { return !is_infinite(v); });
    return all ? nan_result(out, rule) : signed_result(out, false, false, rule);
  }
  std::vector<Real> others;  // the differences that are not 0
  unsigned long equal = 0;
  for (const Real& value : values) {
    if (is_infinite(value)) continue;
    const Real difference = scaled_difference(s, value, values[j]);
    if (is_zero(difference))
      ++equal;
    else
      others.push_back(difference);
  }
  if (vanishes(sum_of_exponentials(others, 0, 64, MPFR_RNDU), equal, out))
    return share_of(equal, !others.empty(), out, rule);
  for (mpfr_prec_t precision = out.precision() + 64;; precision *= 2) {
    const Real least = sum_of_exponentials(others, equal, precision, MPFR_RNDD);
    const Real most = sum_of_exponentials(others, equal, precision, MPFR_RNDU);
    Real low(precision), high(precision);
    mpfr_ui_div(low.get(), 1, most.get(), MPFR_RNDD);
    mpfr_ui_div(high.get(), 1, least.get(), MPFR_RNDU);
    if (const std::optional<Bits> code = code_between(out, low, high, rule)) return *code;
  }
}

}  // namespace whybits::exact
