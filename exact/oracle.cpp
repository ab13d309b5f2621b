#include "exact/oracle.hpp"

#include <gmpxx.h>

#include <stdexcept>

#include "exact/rounded_real.hpp"

namespace whybits::exact {
namespace {

// Products of f64 lie between 2^−2148 and 2^2048; 2^63 of them need 63 bits more.
constexpr mpfr_prec_t exact_precision = 2148 + 2048 + 64;

/// MPFR says of every operation whether it was exact. If one was not, the judge is wrong.
void require_exact(int ternary) {
  if (ternary != 0) throw std::logic_error("an MPFR sum that must be exact was rounded");
}

/// A sum of exact terms in the order in which they come. `rounding` decides only the sign of an
/// exact zero.
class ExactSum {
 public:
  explicit ExactSum(mpfr_rnd_t rounding) : rounding_(rounding) { mpfr_set_zero(sum_.get(), 1); }

  void add(const Real& term) {
    // The first term is taken as it is, so that a lone −0 stays one.
    require_exact(first_ ? mpfr_set(sum_.get(), term.get(), rounding_)
                         : mpfr_add(sum_.get(), sum_.get(), term.get(), rounding_));
    first_ = false;
  }
  void add_product(const Real& x, const Real& y) {
    require_exact(mpfr_mul(product_.get(), x.get(), y.get(), MPFR_RNDN));
    add(product_);
  }
  const Real& value() const { return sum_; }

 private:
  Real sum_{exact_precision};
  Real product_{128};
  mpfr_rnd_t rounding_;
  bool first_ = true;
};

Real exact_dot(const CodeSpan& a, const CodeSpan& b, mpfr_rnd_t rounding) {
  if (a.codes.size() != b.codes.size())
    throw std::invalid_argument("a dot product of vectors of different lengths");
  ExactSum sum(rounding);
  for (std::size_t i = 0; i < a.codes.size(); ++i)
    sum.add_product(real_from_code(a.format, a.codes[i]), real_from_code(b.format, b.codes[i]));
  return sum.value();
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

Bits oracle_gemm_element(const CodeSpan& a, const CodeSpan& b, const MatrixElement& element,
                         const std::optional<Scalar>& c, const Format& out, const RoundRule& rule) {
  const auto& [row, column, k, n] = element;
  if (column >= n || (row + 1) * k > a.codes.size() || k * n > b.codes.size())
    throw std::out_of_range("an element that the matrices do not have");
  ExactSum sum(zero_rounding(rule));
  if (c) sum.add(real_from_code(c->format, c->code));
  for (std::size_t i = 0; i < k; ++i)
    sum.add_product(real_from_code(a.format, a.codes[row * k + i]),
                    real_from_code(b.format, b.codes[i * n + column]));
  return code_from_real(out, sum.value(), rule);
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
  // MPFR says whether it cut anything off; that is all that a rounding has to know beyond the bits
  // (rounded_real.hpp). It finds the precision that it needs by itself.
  Real y(out.precision() + 8);
  const int ternary = truncated(function, y, real_from_code(in, x));
  return code_from_truncated(out, y, ternary == 0, rule);
}

}  // namespace whybits::exact
