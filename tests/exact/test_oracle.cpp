#include <bit>
#include <cmath>
#include <vector>

#include "exact/measure.hpp"
#include "exact/oracle.hpp"
#include "exact/real.hpp"
#include "sim/arith.hpp"
#include "tests/support/property.hpp"

using namespace whybits;
using namespace whybits::exact;

namespace {

Bits f32(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
Bits f64(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

Bits sum_f32(const std::vector<Bits>& x, const RoundRule& rule = {}) {
  return oracle_sum({formats::f32, x}, formats::f32, rule);
}

constexpr Bits plus_infinity = 0x7f800000, minus_infinity = 0xff800000, gpu_nan = 0x7fffffff;
constexpr Bits minus_zero = 0x80000000;

}  // namespace

TEST_CASE("the oracle's sums are rounded once") {
  // 2^24 + 1 + 1: each addition alone would lose the one.
  CHECK(sum_f32({f32(0x1p24F), f32(1), f32(1)}) == f32(0x1p24F + 2));
  CHECK(sum_f32({f32(0x1p24F), f32(1)}) == f32(0x1p24F));
  CHECK(sum_f32({f32(1e30F), f32(1e-30F), f32(-1e30F)}) == f32(1e-30F));
  CHECK(sum_f32({}) == 0);
  CHECK(sum_f32({minus_zero}) == minus_zero);
  CHECK(sum_f32({minus_zero, 0}) == 0);
  CHECK(sum_f32({minus_zero, 0}, {.rounding = Rounding::down}) == minus_zero);
  CHECK(sum_f32({f32(1), f32(-1)}, {.rounding = Rounding::down}) == minus_zero);
}

TEST_CASE("the oracle's NaN and infinities are IEEE's") {
  CHECK(sum_f32({plus_infinity, f32(1)}) == plus_infinity);
  CHECK(sum_f32({plus_infinity, minus_infinity}) == gpu_nan);
  CHECK(sum_f32({0x7fc00000, plus_infinity}) == gpu_nan);
  CHECK(sum_f32({f32(0x1p127F), f32(0x1p127F)}) == plus_infinity);
  CHECK(sum_f32({f32(0x1p127F), f32(0x1p127F)}, {.rounding = Rounding::zero}) == 0x7f7fffff);
  const std::vector<Bits> zero{0}, infinity{plus_infinity};
  CHECK(oracle_dot({formats::f32, zero}, {formats::f32, infinity}, formats::f32) == gpu_nan);
  CHECK_THROWS_AS(oracle_dot_value({formats::f32, infinity}, {formats::f32, infinity}),
                  std::domain_error);
  CHECK_THROWS_AS(oracle_dot({formats::f32, zero}, {formats::f32, {}}, formats::f32),
                  std::invalid_argument);
}

TEST_CASE("two terms: the oracle equals the processor's addition and fma") {
  test::for_all(5'000, [](test::Random& random) {
    // Any word, or its neighbourhood in magnitude, so that sums cancel and round.
    const double a = std::bit_cast<double>(random());
    const Bits near = static_cast<Bits>(random.between(-60, 60)) << 52;
    const double b =
        std::bit_cast<double>(random.coin() ? random() : (f64(a) + near) ^ (random() >> 12));
    const double c = a * b * 0x1p-30;  // near enough to cancel or to be lost
    if (a != a || b != b || c != c) return;
    const std::vector<Bits> sum{f64(a), f64(b)};
    CHECK(oracle_sum({formats::f64, sum}, formats::f64, {.nan = NanRule::ieee}) ==
          (std::isnan(a + b) ? 0x7ff8000000000000 : f64(a + b)));
    const std::vector<Bits> left{f64(a), f64(c)}, right{f64(b), f64(1)};
    const double fused = std::fma(a, b, c);
    CHECK(oracle_dot({formats::f64, left}, {formats::f64, right}, formats::f64,
                     {.nan = NanRule::ieee}) ==
          (std::isnan(fused) ? 0x7ff8000000000000 : f64(fused)));
  });
}

TEST_CASE("the oracle's exact value of a dot product") {
  const std::vector<Bits> a{f64(0x1p-1074), f64(0x1p1023)}, b{f64(0x1p-1074), f64(3)};
  const Dyadic value = oracle_dot_value({formats::f64, a}, {formats::f64, b});
  CHECK(value == Dyadic(1, -2148) + Dyadic(3, 1023));
  CHECK(oracle_dot_value({formats::f64, {}}, {formats::f64, {}}).is_zero());
}

TEST_CASE("functions in f32 are MPFR's own rounding at 24 bits") {
  const auto direct = [](Function function, float x) {
    mpfr_t y;
    mpfr_init2(y, 24);
    mpfr_set_flt(y, x, MPFR_RNDN);
    switch (function) {
      case Function::exp:
        mpfr_exp(y, y, MPFR_RNDN);
        break;
      case Function::exp2:
        mpfr_exp2(y, y, MPFR_RNDN);
        break;
      case Function::log:
        mpfr_log(y, y, MPFR_RNDN);
        break;
      case Function::rsqrt:
        mpfr_rec_sqrt(y, y, MPFR_RNDN);
        break;
    }
    const float result = mpfr_get_flt(y, MPFR_RNDN);
    mpfr_clear(y);
    return f32(result);
  };
  test::for_all(4'000, [&](test::Random& random) {
    // Results stay normal, so that rounding at 24 bits is rounding to f32.
    const float x = static_cast<float>(static_cast<double>(random() >> 11) * 0x1p-53 * 160 - 80);
    CAPTURE(x);
    for (const Function function : {Function::exp, Function::exp2})
      CHECK(oracle_function(function, formats::f32, f32(x), formats::f32) == direct(function, x));
    for (const Function function : {Function::log, Function::rsqrt})
      CHECK(oracle_function(function, formats::f32, f32(std::abs(x)), formats::f32) ==
            direct(function, std::abs(x)));
  });
}

TEST_CASE("functions of every bf16 number agree with the C library's f64 ones") {
  // Those are within one f64 ulp: after rounding to 8 bits the same, short of a near tie.
  for (Bits code = 0; code <= 0xffff; code += 3) {
    const double x = std::bit_cast<float>(static_cast<std::uint32_t>(code << 16));
    const auto check = [&](Function function, double value) {
      const Bits want = convert(formats::f64, formats::bf16, f64(value));
      if (oracle_function(function, formats::bf16, code, formats::bf16) != want) {
        CAPTURE(code, x, static_cast<int>(function));
        CHECK(oracle_function(function, formats::bf16, code, formats::bf16) == want);
      }
    };
    check(Function::exp, std::exp(x));
    check(Function::exp2, std::exp2(x));
    check(Function::log, std::log(x));
    check(Function::rsqrt, 1 / std::sqrt(x));
  }
  CHECK(oracle_function(Function::rsqrt, formats::bf16, 0x8000, formats::bf16) == 0xff80);
}

TEST_CASE("functions at the edges of a format") {
  const auto exp2_f32 = [](float x, Rounding rounding = Rounding::nearest_even) {
    return oracle_function(Function::exp2, formats::f32, f32(x), formats::f32,
                           {.rounding = rounding});
  };
  CHECK(exp2_f32(-149) == 1);
  CHECK(exp2_f32(-150) == 0);       // a tie, to even
  CHECK(exp2_f32(-149.999F) == 1);  // just above the tie
  CHECK(exp2_f32(-1000) == 0);
  CHECK(exp2_f32(-1000, Rounding::up) == 1);
  CHECK(exp2_f32(127) == f32(0x1p127F));
  CHECK(exp2_f32(128) == 0x7f800000);
  CHECK(exp2_f32(128, Rounding::zero) == 0x7f7fffff);
  CHECK(exp2_f32(1e30F) == 0x7f800000);
  CHECK(exp2_f32(-1e30F, Rounding::up) == 1);
  CHECK(oracle_function(Function::exp, formats::f64, f64(1e308), formats::f64) == f64(INFINITY));
  CHECK(oracle_function(Function::exp, formats::f64, f64(-1e308), formats::f64) == 0);
  CHECK(oracle_function(Function::exp, formats::f32, minus_infinity, formats::f32) == 0);
  CHECK(oracle_function(Function::log, formats::f32, f32(-1), formats::f32) == gpu_nan);
  CHECK(oracle_function(Function::log, formats::f32, f32(1), formats::f32) == 0);
}

TEST_CASE("directed roundings of a function enclose it by one ulp") {
  test::for_all(1'000, [](test::Random& random) {
    const float x = static_cast<float>(random.between(-60'000, 60'000)) / 1000;
    const auto rounded = [&](Rounding rounding) {
      return oracle_function(Function::exp, formats::f32, f32(x), formats::f32,
                             {.rounding = rounding});
    };
    const Bits down = rounded(Rounding::down), up = rounded(Rounding::up);
    const Bits nearest = rounded(Rounding::nearest_even);
    CAPTURE(x);
    REQUIRE(rounded(Rounding::zero) == down);
    REQUIRE(up - down == (x == 0 ? 0U : 1U));
    REQUIRE((nearest == down || nearest == up));
  });
}
