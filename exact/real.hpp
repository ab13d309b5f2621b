// MPFR numbers with an owner, and the way between them and codes. Shares no arithmetic with sim/:
// what is computed here judges what is computed there.
#pragma once

#include <mpfr.h>

#include "sim/rounding.hpp"

namespace whybits::exact {

/// An mpfr_t that frees itself. Initially NaN, as MPFR leaves it.
class Real {
 public:
  explicit Real(mpfr_prec_t precision) { mpfr_init2(value_, precision); }
  Real(const Real& other) : Real(mpfr_get_prec(other.value_)) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
  }
  Real& operator=(const Real&) = delete;
  ~Real() { mpfr_clear(value_); }

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

 private:
  mpfr_t value_;
};

/// The value of a code, exact. NaN, infinities and signed zeros become MPFR's own.
Real real_from_code(const Format& format, Bits code);

/// A real number rounded once. Of the rule, `flush` applies to the result only.
Bits code_from_real(const Format& format, const Real& value, const RoundRule& rule);

}  // namespace whybits::exact
