#include <algorithm>
#include <bit>
#include <cmath>

#include "exact/distance.hpp"
#include "exact/measure.hpp"
#include "tests/support/property.hpp"

using namespace whybits;
using namespace whybits::exact;

namespace {

/// The value of a code as a double, infinities beyond every number of small formats.
double value(const Format& format, Bits code) {
  const Unpacked u = unpack(format, code);
  const double magnitude =
      u.finite() ? std::ldexp(static_cast<double>(u.significand), u.exponent) : 1e30;
  return u.negative ? -magnitude : magnitude;
}

bool is_nan(const Format& format, Bits code) {
  return unpack(format, code).cls == FpClass::nan;
}

/// Numbers of a format in (low, high], counted one by one.
std::uint64_t numbers_between(const Format& format, double low, double high) {
  std::uint64_t count = 0;
  for (Bits code = 0; code <= format.code_mask(); ++code) {
    if (code == format.sign_mask() || is_nan(format, code)) continue;
    if (value(format, code) > low && value(format, code) <= high) ++count;
  }
  return count;
}

Bits f32_code(float x) {
  return std::bit_cast<std::uint32_t>(x);
}

}  // namespace

TEST_CASE("the common format holds both and is no wider than needed") {
  using namespace formats;
  CHECK(common_format(f32, f32) == f32);
  CHECK(common_format(bf16, f32) == f32);
  CHECK(common_format(f32, bf16) == f32);
  CHECK(common_format(f16, bf16) == tf32);
  CHECK(common_format(e4m3, e5m2) == Format{5, 3, Specials::ieee});
  CHECK(common_format(e2m3, e3m2) == Format{4, 3, Specials::ieee});  // e3m3 has no 28
  CHECK(common_format(f64, e4m3) == f64);
}

TEST_CASE("ulp distance across formats counts the numbers of the common one") {
  const Format pairs[][2] = {{formats::e4m3, formats::e5m2},
                             {formats::e2m3, formats::e3m2},
                             {formats::e2m1, formats::e5m2}};
  for (const auto& [fa, fb] : pairs) {
    const Format wide = *common_format(fa, fb);
    std::size_t wrong = 0;
    const Bits step_a = fa.code_bits() == 8 ? 7 : 3, step_b = fb.code_bits() == 8 ? 11 : 1;
    for (Bits a = 0; a <= fa.code_mask(); a += step_a)
      for (Bits b = 0; b <= fb.code_mask(); b += step_b) {
        const auto distance = ulp_distance(fa, a, fb, b);
        if (is_nan(fa, a) || is_nan(fb, b)) {
          wrong += distance.has_value() ? 1U : 0U;
          continue;
        }
        const double x = value(fa, a), y = value(fb, b);
        if (distance != numbers_between(wide, std::min(x, y), std::max(x, y))) ++wrong;
        if (ulp_distance(fb, b, fa, a) != distance) ++wrong;
      }
    CAPTURE(format_name(fa), format_name(fb), format_name(wide));
    CHECK(wrong == 0);
  }
}

TEST_CASE("a bf16 number and the f32 number that rounds to it are up to 2^15 f32 ulp apart") {
  CHECK(ulp_distance(formats::bf16, 0x3f80, formats::f32, f32_code(1)) == 0);
  CHECK(ulp_distance(formats::bf16, 0x3f80, formats::f32, 0x3f808000) == 0x8000);
  CHECK(ulp_distance(formats::bf16, 0x8000, formats::f32, 0) == 0);
  CHECK(ulp_distance(formats::bf16, 0x7f80, formats::f32, 0x7f7fffff) == 1);
  CHECK_FALSE(ulp_distance(formats::bf16, 0x7fc0, formats::f32, 0).has_value());
}

TEST_CASE("errors in ulp and relative errors by hand") {
  const auto ulps = [](float result, double exact) {
    return error_in_ulps(formats::f32, f32_code(result), Dyadic::from_double(exact));
  };
  CHECK(ulps(1, 1) == 0);
  CHECK(ulps(1, 1 + 0x1p-24) == -0.5);
  CHECK(ulps(1, 1 - 0x1p-24) == 1);  // below 1 the ulp is half
  CHECK(ulps(0, 0) == 0);
  CHECK(ulps(0x1p-149F, 0) == 1);
  CHECK(ulps(0x1p-149F, 0x1p-160) == 1 - 0x1p-11);
  CHECK(ulps(0x1.fffffep127F, 0x1p130) == -3.0 * 0x1p24 - 1);  // ulp of the top binade
  CHECK(std::isnan(ulps(INFINITY, 1)));

  const auto relative = [](float result, double exact) {
    return relative_error(formats::f32, f32_code(result), Dyadic::from_double(exact));
  };
  CHECK(relative(3, 2) == 0.5);
  CHECK(relative(-3, -2) == 0.5);
  CHECK(relative(0, 0) == 0);
  CHECK(relative(1, 0) == INFINITY);
  CHECK_FALSE(relative(NAN, 1) < 1e300);
}

TEST_CASE("quotients are right to 2^-50, whatever the exponents") {
  test::for_all(2'000, [](test::Random& random) {
    const double a = static_cast<double>(random.between(-1'000'000'000, 1'000'000'000));
    const double b = static_cast<double>(random.between(1, 1'000'000'000));
    const int shift = static_cast<int>(random.between(-900, 900));
    const double got = quotient(Dyadic::from_double(std::ldexp(a, shift)) * Dyadic(1, -5000),
                                Dyadic::from_double(b) * Dyadic(1, -5000));
    const double want = std::ldexp(a / b, shift);
    CAPTURE(a, b, shift);
    REQUIRE(std::abs(got - want) <= std::abs(want) * 0x1p-50);
  });
}

TEST_CASE("condition numbers by hand") {
  const auto of = [](double magnitude, double sum) {
    return condition_number(Dyadic::from_double(magnitude), Dyadic::from_double(sum));
  };
  CHECK(of(6, 6) == 1);
  CHECK(of(6, -6) == 1);
  CHECK(of(7, -1) == 7);
  CHECK(of(0, 0) == 1);
  CHECK(of(2, 0) == INFINITY);
  CHECK(of(1, 0x1p-100) == 0x1p100);
}
