// Comparisons and neighbours against MPFR's order of the values.
#include "sim/compare.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/operands.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

Relation expected(const Real& a, const Real& b) {
  if (mpfr_unordered_p(a.get(), b.get()) != 0) return Relation::unordered;
  const int order = mpfr_cmp(a.get(), b.get());
  return order < 0 ? Relation::less : order > 0 ? Relation::greater : Relation::equal;
}

}  // namespace

TEST_CASE("the order of any two codes is MPFR's order of their values") {
  Real x, y;
  for_all(100'000, [&](Random& random) {
    const Format format = random.pick(formats_to_test());
    const Bits a = structured_code(random, format), b = structured_code(random, format, a);
    decode(format, a, x);
    decode(format, b, y);
    const Relation want = expected(x, y);
    CAPTURE(format_name(format), a, b);
    if (relation(format, a, b) != want) FAIL("another relation");
    if (equal(format, a, b) != (want == Relation::equal)) FAIL("equal");
    if (less(format, a, b) != (want == Relation::less)) FAIL("less");
    if (less_equal(format, a, b) != (want == Relation::less || want == Relation::equal))
      FAIL("less or equal");
  });
}

TEST_CASE("quiet comparisons are invalid for signalling NaN only, signalling ones for any NaN") {
  const Bits quiet = 0x7fc00000, signalling = 0x7f800001, one = 0x3f800000;
  const auto invalid = [](auto compare, Bits a, Bits b, NanSignal signal) {
    Flags flags;
    CHECK_FALSE(compare(formats::f32, a, b, signal, &flags));
    CHECK((flags == Flags{} || flags == Flags{.invalid = true}));
    return flags.invalid;
  };
  for (const auto compare : {&equal, &less, &less_equal}) {
    CHECK_FALSE(invalid(compare, quiet, one, NanSignal::quiet));
    CHECK_FALSE(invalid(compare, one, quiet, NanSignal::quiet));
    CHECK(invalid(compare, signalling, one, NanSignal::quiet));
    CHECK(invalid(compare, one, quiet, NanSignal::signalling));
    CHECK(invalid(compare, signalling, quiet, NanSignal::signalling));
  }
  Flags flags{.invalid = true};
  CHECK(less(formats::f32, one, 0x7f800000, NanSignal::signalling, &flags));
  CHECK(flags == Flags{});
}

TEST_CASE("neighbours: nothing lies between a number and the next, in every small format") {
  Real here, there;
  for (const Format& format : formats_to_test()) {
    if (format.code_bits() > 16) continue;
    long wrong = 0;
    for (Bits code = 0; code < Bits{1} << format.code_bits(); ++code) {
      decode(format, code, here);
      const Bits up = next_up(format, code), down = next_down(format, code);
      decode(format, up, there);
      if (mpfr_nan_p(here.get()) != 0) {
        if (mpfr_nan_p(there.get()) == 0) ++wrong;
        continue;
      }
      const bool last = up == code;
      if (!last && mpfr_less_p(here.get(), there.get()) == 0) ++wrong;
      // The way back is the same number, or the other zero.
      decode(format, next_down(format, up), there);
      if (!last && mpfr_equal_p(here.get(), there.get()) == 0) ++wrong;
      decode(format, next_up(format, down), there);
      if (down != code && mpfr_equal_p(here.get(), there.get()) == 0) ++wrong;
    }
    CAPTURE(format_name(format));
    CHECK(wrong == 0);
  }
}

TEST_CASE("neighbours at the ends, and of both zeros") {
  CHECK(next_up(formats::f16, 0x7bff) == 0x7c00);
  CHECK(next_up(formats::f16, 0x7c00) == 0x7c00);
  CHECK(next_up(formats::f16, 0xfc00) == 0xfbff);
  CHECK(next_up(formats::f16, 0x8000) == 0x0001);
  CHECK(next_down(formats::f16, 0x0000) == 0x8001);
  CHECK(next_up(formats::f16, 0x8001) == 0x8000);
  CHECK(next_up(formats::e4m3, 0x7e) == 0x7e);
  CHECK(next_down(formats::e2m1, 0xf) == 0xf);
}

TEST_CASE("the last place of a number is where its code's lowest bit counts") {
  CHECK(ulp_exponent(formats::f32, 0x3f800000) == -23);
  CHECK(ulp_exponent(formats::f32, 0x00000001) == -149);
  CHECK(ulp_exponent(formats::f32, 0) == -149);
  CHECK(ulp_exponent(formats::f16, 0x7bff) == 5);
}
