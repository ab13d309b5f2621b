#include "exact/elementary.hpp"

#include <algorithm>
#include <array>

#include "exact/rounded_real.hpp"

namespace whybits::exact {
namespace {

int reciprocal(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding) {
  return mpfr_ui_div(y, 1, x, rounding);
}

int reciprocal_root(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding) {
  const int ternary = mpfr_rec_sqrt(y, x, rounding);
  // MPFR gives +infinity for −0; IEEE 754-2019, 9.2.1, the sign of the zero.
  if (mpfr_zero_p(x) != 0) mpfr_copysign(y, y, x, MPFR_RNDN);
  return ternary;
}

struct Row {
  std::string_view name;
  int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
};
constexpr std::array rows{
    Row{"1/x", reciprocal},    Row{"1/√x", reciprocal_root}, Row{"√x", mpfr_sqrt},
    Row{"log2 x", mpfr_log2},  Row{"2^x", mpfr_exp2},        Row{"sin x", mpfr_sin},
    Row{"cos x", mpfr_cos},    Row{"tan x", mpfr_tan},       Row{"tanh x", mpfr_tanh},
    Row{"e^x", mpfr_exp},      Row{"10^x", mpfr_exp10},      Row{"ln x", mpfr_log},
    Row{"log10 x", mpfr_log10}};

}  // namespace

std::optional<Bits> elementary(std::string_view function, Bits x) {
  const auto row = std::ranges::find(rows, function, &Row::name);
  if (row == rows.end()) return std::nullopt;
  Real y(formats::f32.precision() + 8);
  const int ternary = row->f(y.get(), real_from_code(formats::f32, x).get(), MPFR_RNDZ);
  return code_from_truncated(formats::f32, y, ternary == 0, {});
}

}  // namespace whybits::exact
