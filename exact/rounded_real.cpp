#include "exact/rounded_real.hpp"

namespace whybits::exact {
namespace {

/// Far below every format's smallest subnormal.
constexpr long tiny_exponent = -100'000;

}  // namespace

Bits code_from_truncated(const Format& format, const Real& value, bool exact,
                         const RoundRule& rule) {
  if (exact) return code_from_real(format, value, rule);
  const mpfr_prec_t precision = mpfr_get_prec(value.get());
  Real marked(precision + 1);
  mpfr_set(marked.get(), value.get(), MPFR_RNDN);
  if (mpfr_zero_p(value.get()) != 0) {  // truncated to nothing
    mpfr_set_ui_2exp(marked.get(), 1, tiny_exponent, MPFR_RNDN);
    mpfr_setsign(marked.get(), marked.get(), mpfr_signbit(value.get()), MPFR_RNDN);
    return code_from_real(format, marked, rule);
  }
  Real mark(2);
  mpfr_set_ui_2exp(mark.get(), 1, mpfr_get_exp(value.get()) - precision - 1, MPFR_RNDN);
  mpfr_setsign(mark.get(), mark.get(), mpfr_signbit(value.get()), MPFR_RNDN);
  mpfr_add(marked.get(), marked.get(), mark.get(), MPFR_RNDN);  // exact: one bit more
  return code_from_real(format, marked, rule);
}

std::optional<Bits> code_between(const Format& format, const Real& low, const Real& high,
                                 const RoundRule& rule) {
  // Cut both to few bits: between equal cuts there is no border, unless `high` is the cut itself.
  const mpfr_prec_t precision = format.precision() + 8;
  Real cut_low(precision), cut_high(precision);
  mpfr_set(cut_low.get(), low.get(), MPFR_RNDZ);
  const int above = mpfr_set(cut_high.get(), high.get(), MPFR_RNDZ);
  const bool low_vanishes = mpfr_zero_p(cut_low.get()) != 0;
  if (low_vanishes) {
    // So far below the smallest subnormal that its size does not matter, if `high` is as well.
    if (mpfr_zero_p(cut_high.get()) == 0 && mpfr_get_exp(cut_high.get()) > tiny_exponent)
      return std::nullopt;
    return code_from_truncated(format, cut_low, false, rule);
  }
  if (mpfr_equal_p(cut_low.get(), cut_high.get()) == 0 || above == 0) return std::nullopt;
  return code_from_truncated(format, cut_low, false, rule);
}

}  // namespace whybits::exact
