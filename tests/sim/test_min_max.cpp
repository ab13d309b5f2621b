// min and max as PTX has them. Expected codes by hand, and by the rules applied to MPFR's values.
#include "sim/min_max.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/operands.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

constexpr Bits quiet = 0x7e00, signalling = 0x7d00, inf = 0x7c00, one = 0x3c00, two = 0x4000,
               minus_zero = 0x8000, minus_one = 0xbc00;
constexpr Format f16 = formats::f16;

}  // namespace

TEST_CASE("max and min ignore one NaN, order the zeros, and take infinities as numbers") {
  CHECK(max(f16, quiet, one) == one);
  CHECK(min(f16, minus_one, quiet) == minus_one);
  CHECK(max(f16, quiet, quiet) == 0x7fff);
  CHECK(max(f16, quiet, 0xfe00, {.nan = NanRule::ieee}) == 0x7e00);
  CHECK(max(f16, minus_zero, 0) == 0);
  CHECK(max(f16, 0, minus_zero) == 0);
  CHECK(min(f16, 0, minus_zero) == minus_zero);
  CHECK(max(f16, 0xfc00, 0xfbff) == 0xfbff);
  CHECK(min(f16, inf, one) == one);
}

TEST_CASE(".NaN makes one NaN operand enough") {
  const MinMaxRule rule{.propagate_nan = true};
  CHECK(max(f16, quiet, one, rule) == 0x7fff);
  CHECK(min(f16, one, 0xffff, rule) == 0x7fff);
  CHECK(max(f16, one, two, rule) == two);
}

TEST_CASE(".xorsign.abs compares magnitudes and takes the sign of the product") {
  const MinMaxRule rule{.xorsign_abs = true};
  CHECK(max(f16, one, 0xc000, rule) == 0xc000);
  CHECK(max(f16, minus_one, 0xc000, rule) == two);
  CHECK(min(f16, minus_one, two, rule) == minus_one);
  CHECK(min(f16, 0, minus_one, rule) == minus_zero);
  CHECK(max(f16, 0xfe00, one, rule) == minus_one);  // the NaN's sign counts, as the pseudocode says
  CHECK(max(f16, 0xfe00, quiet, rule) == 0x7fff);
}

TEST_CASE(".ftz takes subnormals for zeros of their sign, also as the result") {
  const MinMaxRule rule{.flush = true};
  CHECK(max(f16, 0x0001, 0, rule) == 0);
  CHECK(min(f16, 0x8001, 0, rule) == minus_zero);
  CHECK(min(f16, 0x0001, one, rule) == 0);
}

TEST_CASE("a signalling NaN, and nothing else, is invalid") {
  Flags flags;
  CHECK(max(f16, signalling, one, {}, &flags) == one);
  CHECK(flags == Flags{.invalid = true});
  CHECK(max(f16, quiet, one, {}, &flags) == one);
  CHECK(flags == Flags{});
}

TEST_CASE("the larger of any two numbers is the one that MPFR finds larger") {
  Real x, y;
  for_all(50'000, [&](Random& random) {
    const Format format = random.pick(formats_to_test());
    const Bits a = structured_code(random, format), b = structured_code(random, format, a);
    decode(format, a, x);
    decode(format, b, y);
    if (mpfr_nan_p(x.get()) != 0 || mpfr_nan_p(y.get()) != 0) return;
    if (mpfr_equal_p(x.get(), y.get()) != 0) return;
    const bool a_larger = mpfr_greater_p(x.get(), y.get()) != 0;
    CAPTURE(format_name(format), a, b);
    if (max(format, a, b) != (a_larger ? a : b) || min(format, a, b) != (a_larger ? b : a))
      FAIL("the wrong one");
  });
}
