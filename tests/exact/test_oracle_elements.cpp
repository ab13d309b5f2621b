// Elements of RMSNorm, softmax and matrix products by MPFR, against long computations rounded by
// the tests' own rounder.
#include <bit>
#include <cmath>

#include "exact/oracle_elements.hpp"
#include "tests/exact/cancelling_codes.hpp"
#include "tests/support/mpfr_oracle.hpp"

using namespace whybits;
using namespace whybits::exact;
using Long = whybits::test::Real;

namespace {

using Codes = std::vector<Bits>;
constexpr mpfr_prec_t long_precision = 3000;

Bits f32(float x) {
  return std::bit_cast<std::uint32_t>(x);
}
Bits f64(double x) {
  return std::bit_cast<std::uint64_t>(x);
}
Codes f32s(const std::vector<float>& values) {
  Codes codes;
  for (const float value : values) codes.push_back(f32(value));
  return codes;
}

/// Rounds a long computation that was not exact (it never lies on a border then).
Bits rounded(const Long& value, const Format& out, const RoundRule& rule) {
  return test::MpfrRounder().round(out, value, 1, rule);
}

void long_rms_norm(const CodeSpan& x, std::size_t j, const Scalar& w, const Scalar& epsilon,
                   Long& result) {
  Long sum(long_precision), term(long_precision);
  mpfr_set_zero(sum.get(), 1);
  for (const Bits code : x.codes) {
    test::decode(x.format, code, term);
    mpfr_sqr(term.get(), term.get(), MPFR_RNDZ);
    mpfr_add(sum.get(), sum.get(), term.get(), MPFR_RNDZ);
  }
  mpfr_div_ui(sum.get(), sum.get(), x.codes.size(), MPFR_RNDZ);
  test::decode(epsilon.format, epsilon.code, term);
  mpfr_add(sum.get(), sum.get(), term.get(), MPFR_RNDZ);
  mpfr_sqrt(sum.get(), sum.get(), MPFR_RNDZ);
  test::decode(x.format, x.codes[j], result);
  test::decode(w.format, w.code, term);
  mpfr_mul(result.get(), result.get(), term.get(), MPFR_RNDZ);
  mpfr_div(result.get(), result.get(), sum.get(), MPFR_RNDZ);
}

void long_softmax(const CodeSpan& x, std::size_t j, const Scalar& scale, Long& result) {
  Long s(64), at(64), sum(long_precision), term(long_precision);
  test::decode(scale.format, scale.code, s);
  test::decode(x.format, x.codes[j], at);
  mpfr_set_zero(sum.get(), 1);
  for (const Bits code : x.codes) {
    test::decode(x.format, code, term);
    mpfr_sub(term.get(), term.get(), at.get(), MPFR_RNDZ);
    mpfr_mul(term.get(), term.get(), s.get(), MPFR_RNDZ);
    mpfr_exp(term.get(), term.get(), MPFR_RNDU);
    mpfr_add(sum.get(), sum.get(), term.get(), MPFR_RNDU);
  }
  mpfr_ui_div(result.get(), 1, sum.get(), MPFR_RNDZ);
}

const Scalar one{formats::f32, f32(1)};
const Scalar no_epsilon{formats::f32, 0};
const Format outputs[] = {formats::f32, formats::bf16, formats::e4m3, formats::f64};

}  // namespace

TEST_CASE("an RMSNorm element equals a long computation, rounded once") {
  test::for_all(300, [](test::Random& random) {
    const Format in = random.coin() ? formats::bf16 : formats::f32;
    Codes x = test::cancelling_codes(random, in, 1 + random.below(40), false);
    if (random.coin())  // ordinary numbers
      for (Bits& code : x) code = (code & ~in.infinity()) | Bits{127} << in.fraction_bits;
    const std::size_t j = random.below(x.size());
    const Scalar w{formats::f32, f32(static_cast<float>(random.between(-999, 999)) / 256)};
    const Scalar epsilon{formats::f32, f32(1e-5F)};
    if ((x[j] & (in.sign_mask() - 1)) == 0 || (w.code & 0x7fffffff) == 0) return;
    CAPTURE(format_name(in), x, j, w.code);
    Long expected(long_precision);
    long_rms_norm({in, x}, j, w, epsilon, expected);
    for (const Format& out : outputs)
      for (const Rounding rounding : all_roundings) {
        const RoundRule rule{.rounding = rounding};
        REQUIRE(oracle_rms_norm({in, x}, j, w, epsilon, out, rule) == rounded(expected, out, rule));
      }
  });
}

TEST_CASE("RMSNorm elements that are exact or ties are seen as such") {
  const auto at = [](const Codes& x, std::size_t j, const Scalar& w, Rounding rounding) {
    return oracle_rms_norm({formats::f32, x}, j, w, no_epsilon, formats::f32,
                           {.rounding = rounding});
  };
  const Scalar tie{formats::f64, f64(1 + 0x1p-24)}, above{formats::f64, f64(1 + 0x1p-24 + 0x1p-52)};
  // The mean square of 1, 7 is 25; of 3, 3 it is 9.
  for (const Rounding rounding : all_roundings) CHECK(at(f32s({3, 3}), 0, one, rounding) == f32(1));
  CHECK(at(f32s({-3, 3}), 0, tie, Rounding::nearest_even) == f32(-1));
  CHECK(at(f32s({-3, 3}), 1, tie, Rounding::nearest_away) == f32(1 + 0x1p-23F));
  CHECK(at(f32s({-3, 3}), 1, above, Rounding::nearest_even) == f32(1 + 0x1p-23F));
  CHECK(at(f32s({5, 35}), 1, {formats::f32, f32(25)}, Rounding::up) == f32(35));
  CHECK(at(f32s({5}), 0, tie, Rounding::down) == f32(1));
  CHECK(at(f32s({0x1p-149F}), 0, one, Rounding::nearest_even) == f32(1));
}

TEST_CASE("RMSNorm of zeros, NaN and infinities") {
  const auto at = [](const Codes& x, std::size_t j, float w, float epsilon) {
    return oracle_rms_norm({formats::f32, x}, j, {formats::f32, f32(w)},
                           {formats::f32, f32(epsilon)}, formats::f32);
  };
  constexpr Bits nan = 0x7fffffff, minus_zero = 0x80000000;
  CHECK(at(f32s({0, 0}), 0, 1, 0) == nan);
  CHECK(at(f32s({0, 0}), 0, -1, 1e-5F) == minus_zero);
  CHECK(at(f32s({1, INFINITY}), 0, -1, 0) == minus_zero);
  CHECK(at(f32s({1, INFINITY}), 1, 1, 0) == nan);
  CHECK(at(f32s({1, NAN}), 0, 1, 0) == nan);
  CHECK(at(f32s({1, 2}), 0, NAN, 0) == nan);
  CHECK(at(f32s({1, -2}), 1, INFINITY, 0) == f32(-INFINITY));
  CHECK(at(f32s({0, -2}), 0, INFINITY, 0) == nan);
  const Codes x = f32s({1, 2});
  CHECK_THROWS_AS(at(x, 2, 1, 0), std::invalid_argument);
  CHECK_THROWS_AS(at(x, 0, 1, -1), std::invalid_argument);
  CHECK_THROWS_AS(at(x, 0, 1, INFINITY), std::invalid_argument);
}

TEST_CASE("a softmax element equals a long computation, rounded once") {
  test::for_all(60, [](test::Random& random) {
    Codes x;
    const std::size_t n = 2 + random.below(12);
    for (std::size_t i = 0; i < n; ++i)
      x.push_back(f32(static_cast<float>(random.between(-40'000, 40'000)) / 1024));
    x[0] += 1;  // not all equal
    const std::size_t j = random.below(n);
    const Scalar scale{formats::f32, f32(random.coin() ? 0.125F : -1.5F)};
    CAPTURE(x, j);
    Long expected(long_precision);
    long_softmax({formats::f32, x}, j, scale, expected);
    for (const Format& out : outputs)
      for (const Rounding rounding : all_roundings) {
        const RoundRule rule{.rounding = rounding};
        REQUIRE(oracle_softmax({formats::f32, x}, j, scale, out, rule) ==
                rounded(expected, out, rule));
      }
  });
}

TEST_CASE("a softmax of equal arguments is a quotient of integers") {
  for (unsigned n = 1; n < 40; ++n) {
    const Codes x(n, f32(-3.7F));
    CHECK(oracle_softmax({formats::f32, x}, n / 2, one, formats::f64) == f64(1.0 / n));
    CHECK(oracle_softmax({formats::f32, x}, 0, one, formats::f32) ==
          f32(1.0F / static_cast<float>(n)));
  }
  const Codes x = f32s({1, 200, -5, 1e30F});
  CHECK(oracle_softmax({formats::f32, x}, 1, no_epsilon, formats::f32) == f32(0.25F));
}

TEST_CASE("a softmax element next to 1, 1/2 or 0 is decided, however near") {
  const auto at = [](const Codes& x, std::size_t j, Rounding rounding) {
    return oracle_softmax({formats::f32, x}, j, one, formats::f32, {.rounding = rounding});
  };
  for (const float far : {-80.0F, -1000.0F, -1e30F, -INFINITY}) {
    const bool gone = far == -INFINITY;
    const Codes alone = f32s({0, far}), pair = f32s({0, far, 0}), three = f32s({0, far, 0, 0});
    CAPTURE(far);
    CHECK(at(alone, 0, Rounding::nearest_even) == f32(1));
    CHECK(at(alone, 0, Rounding::up) == f32(1));
    CHECK(at(alone, 0, Rounding::zero) == f32(1) - (gone ? 0 : 1));
    CHECK(at(pair, 2, Rounding::nearest_even) == f32(0.5F));
    CHECK(at(pair, 2, Rounding::down) == f32(0.5F) - (gone ? 0 : 1));
    CHECK(at(three, 2, Rounding::nearest_even) == f32(1.0F / 3));
    if (far < -200) {
      CHECK(at(alone, 1, Rounding::nearest_even) == 0);
      CHECK(at(alone, 1, Rounding::up) == (gone ? 0U : 1U));
    }
  }
  const Codes wide{f64(1e308), f64(-1e308)};
  const Scalar two{formats::f64, f64(2)};
  CHECK(oracle_softmax({formats::f64, wide}, 0, two, formats::f64) == f64(1));
  CHECK(oracle_softmax({formats::f64, wide}, 1, two, formats::f64, {.rounding = Rounding::up}) ==
        1);
  const Codes near{f64(0), f64(0x1p-1074)};  // 1/2 less 2^−1076
  CHECK(oracle_softmax({formats::f64, near}, 0, one, formats::f64) == f64(0.5));
  CHECK(oracle_softmax({formats::f64, near}, 0, one, formats::f64, {.rounding = Rounding::zero}) ==
        f64(0.5) - 1);
  CHECK(oracle_softmax({formats::f64, near}, 1, one, formats::f64, {.rounding = Rounding::up}) ==
        f64(0.5) + 1);
}

TEST_CASE("softmax of NaN and infinities") {
  const auto at = [](const Codes& x, std::size_t j, float scale) {
    return oracle_softmax({formats::f32, x}, j, {formats::f32, f32(scale)}, formats::f32);
  };
  constexpr Bits nan = 0x7fffffff;
  CHECK(at(f32s({0, NAN}), 0, 1) == nan);
  CHECK(at(f32s({0, INFINITY}), 0, 1) == nan);
  CHECK(at(f32s({0, INFINITY}), 0, -1) == f32(1));
  CHECK(at(f32s({0, -INFINITY}), 0, 1) == f32(1));
  CHECK(at(f32s({0, -INFINITY}), 1, 1) == 0);
  CHECK(at(f32s({0, -INFINITY}), 0, 0) == nan);
  CHECK(at(f32s({-INFINITY, -INFINITY}), 0, 1) == nan);
  CHECK_THROWS_AS(at(f32s({0}), 1, 1), std::invalid_argument);
  CHECK_THROWS_AS(at(f32s({0}), 0, INFINITY), std::invalid_argument);
}

TEST_CASE("a matrix element is the dot product of its row and column, c first") {
  test::for_all(100, [](test::Random& random) {
    const std::size_t m = 1 + random.below(4), n = 1 + random.below(4), k = random.below(9);
    const Codes a = test::cancelling_codes(random, formats::bf16, m * k, false);
    const Codes b = test::cancelling_codes(random, formats::bf16, k * n, false);
    const std::size_t row = random.below(m), column = random.below(n);
    Codes x{0x3f80}, y{0x4120};  // c = 1 · 10
    for (std::size_t i = 0; i < k; ++i) {
      x.push_back(a[row * k + i]);
      y.push_back(b[i * n + column]);
    }
    const MatrixElement element{row, column, k, n};
    const Scalar c{formats::f32, f32(10)};
    REQUIRE(oracle_gemm_element({formats::bf16, a}, {formats::bf16, b}, element, c, formats::f32) ==
            oracle_dot({formats::bf16, x}, {formats::bf16, y}, formats::f32));
    REQUIRE_THROWS_AS(oracle_gemm_element({formats::bf16, a}, {formats::bf16, b}, {row, n, k, n}, c,
                                          formats::f32),
                      std::out_of_range);
  });
}
