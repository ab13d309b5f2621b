// Exact numbers, against MPFR with enough precision and the C library's exact decimal printing.
#include <bit>
#include <cstdio>

#include "sim/dyadic.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/operands.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

/// A finite f64 code.
Bits finite_code(Random& random, Bits near = 0) {
  for (;;) {
    const Bits code = structured_code(random, formats::f64, near);
    if (((code >> 52) & 0x7ff) != 0x7ff) return code;
  }
}

/// Compares with a value that MPFR holds exactly.
bool equal(const Dyadic& got, const Real& want) {
  Real value(8000);
  const mpz_class mantissa = got.mantissa();
  mpfr_set_z_2exp(value.get(), mantissa.get_mpz_t(), got.exponent(), MPFR_RNDN);
  return mpfr_equal_p(value.get(), want.get()) != 0;
}

std::string printed(double value) {
  char text[1500];
  std::snprintf(text, sizeof text, "%.1100f", value);  // all digits: glibc prints exactly
  std::string result = text;
  result.erase(result.find_last_not_of('0') + 1);
  if (result.back() == '.') result.pop_back();
  return result;
}

}  // namespace

TEST_CASE("sums, differences and products of exact numbers are exact") {
  for_all(20'000, [](Random& random) {
    const Bits a = finite_code(random), b = finite_code(random, a), c = finite_code(random, a);
    Real x(8000), y(8000), z(8000);
    decode(formats::f64, a, x);
    decode(formats::f64, b, y);
    decode(formats::f64, c, z);
    mpfr_mul(x.get(), x.get(), y.get(), MPFR_RNDN);
    mpfr_add(x.get(), x.get(), z.get(), MPFR_RNDN);
    mpfr_sub(x.get(), x.get(), y.get(), MPFR_RNDN);

    const Dyadic dyadic_b = Dyadic::from_code(formats::f64, b);
    const Dyadic got = Dyadic::from_code(formats::f64, a) * dyadic_b +
                       Dyadic::from_code(formats::f64, c) - dyadic_b;
    CAPTURE(a, b, c);
    if (!equal(got, x)) FAIL("not exact");
  });
}

TEST_CASE("exact numbers have one form: an odd mantissa, or zero with exponent zero") {
  CHECK(Dyadic(12, -3) == Dyadic(3, -1));
  CHECK(bool(Dyadic(12, -3).mantissa() == 3));
  CHECK(Dyadic(0, 77) == Dyadic());
  CHECK(Dyadic(0, 77).exponent() == 0);
  CHECK((Dyadic(5, 2) - Dyadic(20, 0)).is_zero());
  CHECK(Dyadic::from_code(formats::f32, 0x80000000).is_zero());
}

TEST_CASE("exact numbers compare as their values do") {
  for_all(20'000, [](Random& random) {
    const Bits a = finite_code(random), b = finite_code(random, a);
    const auto x = std::bit_cast<double>(a), y = std::bit_cast<double>(b);
    const auto order = Dyadic::from_double(x) <=> Dyadic::from_double(y);
    CAPTURE(x, y);
    const bool same = (order < 0) == (x < y) && (order > 0) == (x > y) && (order == 0) == (x == y);
    if (!same) FAIL("order differs");
  });
}

TEST_CASE("an exact number of any length rounds to every format as in MPFR") {
  const std::vector<Format> formats = formats_to_test();
  MpfrRounder rounder;
  for_all(50'000, [&](Random& random) {
    const Bits a = finite_code(random), b = finite_code(random, a), c = finite_code(random, a);
    Dyadic value = Dyadic::from_code(formats::f64, a) * Dyadic::from_code(formats::f64, b);
    if (random.coin()) value += Dyadic::from_code(formats::f64, c);
    Real want(8000);
    const mpz_class mantissa = value.mantissa();
    mpfr_set_z_2exp(want.get(), mantissa.get_mpz_t(), value.exponent(), MPFR_RNDN);

    const Format format = random.pick(formats);
    const RoundRule rule{.rounding = random.pick(all_roundings),
                         .overflow = random.pick(all_overflows)};
    CAPTURE(format_name(format), rounding_name(rule.rounding), a, b, c);
    if (value.round_to(format, rule) != rounder.round(format, want, 0, rule)) FAIL("bits differ");
  });
}

TEST_CASE("exponents beyond every format overflow or vanish in the right direction") {
  const long far = 4'000'000'000;
  CHECK(Dyadic(1, far).round_to(formats::f64) == 0x7ff0000000000000);
  CHECK(Dyadic(-1, far).round_to(formats::f64, {.rounding = Rounding::up}) == 0xffefffffffffffff);
  CHECK(Dyadic(1, -far).round_to(formats::f64) == 0);
  CHECK(Dyadic(-1, -far).round_to(formats::f64) == Bits{1} << 63);
  CHECK(Dyadic(1, -far).round_to(formats::f64, {.rounding = Rounding::up}) == 1);
}

TEST_CASE("a finite f64 is read and returned unchanged") {
  for_all(20'000, [](Random& random) {
    const Bits code = finite_code(random);
    const Bits back =
        std::bit_cast<Bits>(Dyadic::from_double(std::bit_cast<double>(code)).to_double());
    const bool zero = (code << 1) == 0;
    CAPTURE(code);
    if (back != (zero ? 0 : code)) FAIL("value differs");
  });
}

TEST_CASE("infinity and NaN are not exact numbers") {
  CHECK_THROWS_AS(Dyadic::from_code(formats::f32, 0x7f800000), std::domain_error);
  CHECK_THROWS_AS(Dyadic::from_code(formats::e4m3, 0x7f), std::domain_error);
}

TEST_CASE("the decimal has all digits and no more") {
  CHECK(Dyadic().to_decimal() == "0");
  CHECK(Dyadic(1, 0).to_decimal() == "1");
  CHECK(Dyadic(-3, -1).to_decimal() == "-1.5");
  CHECK(Dyadic(1, -10).to_decimal() == "0.0009765625");
  CHECK(Dyadic(5, 70).to_decimal() == "5902958103587056517120");
  for_all(3'000, [](Random& random) {
    const auto value = std::bit_cast<double>(finite_code(random));
    const std::string want = value == 0 ? "0" : printed(value);
    const std::string got = Dyadic::from_double(value).to_decimal();
    CAPTURE(got, want);
    if (got != want) FAIL("digits differ");
  });
}
