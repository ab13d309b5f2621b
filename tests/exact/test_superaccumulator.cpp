#include <vector>

#include "exact/oracle.hpp"
#include "sim/superaccumulator.hpp"
#include "tests/exact/cancelling_codes.hpp"

using namespace whybits;
using namespace whybits::exact;

namespace {

Superaccumulator dot(const Format& fa, const std::vector<Bits>& a, const Format& fb,
                     const std::vector<Bits>& b) {
  Superaccumulator sum;
  for (std::size_t i = 0; i < a.size(); ++i) sum.add_product(unpack(fa, a[i]), unpack(fb, b[i]));
  return sum;
}

Superaccumulator sum_of(const Format& format, const std::vector<Bits>& codes) {
  Superaccumulator sum;
  for (const Bits code : codes) sum.add(format, code);
  return sum;
}

}  // namespace

TEST_CASE("sums of any format equal MPFR's, in every rounding") {
  test::for_all(4'000, [](test::Random& random) {
    const Format in = test::random_format(random), out = test::random_format(random);
    const std::vector<Bits> codes =
        test::cancelling_codes(random, in, random.below(20), random.below(4) == 0);
    const Superaccumulator sum = sum_of(in, codes);
    CAPTURE(format_name(in), format_name(out), codes);
    for (const Rounding rounding : all_roundings) {
      const RoundRule rule{.rounding = rounding};
      REQUIRE(sum.round_to(out, rule) == oracle_sum({in, codes}, out, rule));
    }
  });
}

TEST_CASE("dot products of any two formats equal MPFR's, in every rounding") {
  test::for_all(4'000, [](test::Random& random) {
    const Format fa = test::random_format(random), fb = test::random_format(random),
                 out = test::random_format(random);
    const std::size_t count = random.below(20);
    const bool specials = random.below(4) == 0;
    const std::vector<Bits> a = test::cancelling_codes(random, fa, count, specials);
    const std::vector<Bits> b = test::cancelling_codes(random, fb, count, specials);
    const Superaccumulator sum = dot(fa, a, fb, b);
    CAPTURE(format_name(fa), format_name(fb), format_name(out), a, b);
    for (const Rounding rounding : all_roundings) {
      const RoundRule rule{.rounding = rounding};
      REQUIRE(sum.round_to(out, rule) == oracle_dot({fa, a}, {fb, b}, out, rule));
    }
    if (sum.is_finite()) REQUIRE(sum.value() == oracle_dot_value({fa, a}, {fb, b}));
  });
}

TEST_CASE("one product of every exponent of f64") {
  std::vector<Bits> a, b;
  for (Bits field = 0; field < 2047; ++field) {
    a.push_back(field << 52 | 0xfffffffffffff);
    b.push_back((2046 - field) << 52 | (field * 0x9e3779b97f4a7c15 & 0xfffffffffffff));
    a.push_back(a.back());
    b.push_back((field % 3 == 0 ? Bits{1} << 63 : 0) | field << 52 | 1);
  }
  CHECK(dot(formats::f64, a, formats::f64, b).value() ==
        oracle_dot_value({formats::f64, a}, {formats::f64, b}));
}

TEST_CASE("carries run through all limbs") {
  // The sum of the smallest and largest products, doubled 60 times, then taken back.
  Superaccumulator sum;
  const Unpacked smallest = unpack(formats::f64, 1),
                 largest = unpack(formats::f64, 0x7fefffffffffffff);
  sum.add_product(smallest, smallest);
  sum.add_product(largest, largest);
  const Dyadic once = Dyadic(1, -2148) + Dyadic::from_code(formats::f64, 0x7fefffffffffffff) *
                                             Dyadic::from_code(formats::f64, 0x7fefffffffffffff);
  REQUIRE(sum.value() == once);
  for (int i = 0; i < 60; ++i) sum += sum;
  CHECK(sum.value() == once * Dyadic(1, 60));

  // One less than a power of two far above it: a borrow through every limb below.
  Superaccumulator borrow;
  borrow.add_product(largest, largest);
  Unpacked minus = smallest;
  minus.negative = true;
  borrow.add_product(minus, smallest);
  CHECK(borrow.value() == Dyadic::from_code(formats::f64, 0x7fefffffffffffff) *
                                  Dyadic::from_code(formats::f64, 0x7fefffffffffffff) -
                              Dyadic(1, -2148));
}

TEST_CASE("cancellation leaves exactly what was small") {
  const std::vector<Bits> codes{0x7f7fffff, 0x00000001, 0xff7fffff};
  CHECK(sum_of(formats::f32, codes).round_to(formats::f32) == 1);
  CHECK(sum_of(formats::f32, {0x7f7fffff, 0xff7fffff}).value().is_zero());
}

TEST_CASE("ties are seen through any distance") {
  // 1 + 2^−24 is a tie; a 2^−149 decides it, either way.
  const Bits one = 0x3f800000, half_ulp = 0x33800000, tiny = 1, minus_tiny = 0x80000001;
  CHECK(sum_of(formats::f32, {one, half_ulp}).round_to(formats::f32) == one);
  CHECK(sum_of(formats::f32, {one, half_ulp, tiny}).round_to(formats::f32) == one + 1);
  CHECK(sum_of(formats::f32, {one + 1, half_ulp}).round_to(formats::f32) == one + 2);
  CHECK(sum_of(formats::f32, {one + 1, half_ulp, minus_tiny}).round_to(formats::f32) == one + 1);
}

TEST_CASE("zeros, NaN and infinities") {
  constexpr Bits infinity = 0x7f800000, minus = 0x80000000, one = 0x3f800000;
  const RoundRule down{.rounding = Rounding::down};
  CHECK(Superaccumulator().round_to(formats::f32) == 0);
  CHECK(Superaccumulator().round_to(formats::f32, down) == 0);
  CHECK(Superaccumulator().value().is_zero());
  CHECK(sum_of(formats::f32, {minus, minus}).round_to(formats::f32) == minus);
  CHECK(sum_of(formats::f32, {0, 0}).round_to(formats::f32, down) == 0);
  CHECK(sum_of(formats::f32, {0, minus}).round_to(formats::f32, down) == minus);
  CHECK(sum_of(formats::f32, {one, one | minus}).round_to(formats::f32) == 0);
  CHECK(sum_of(formats::f32, {one, one | minus}).round_to(formats::f32, down) == minus);

  CHECK(sum_of(formats::f32, {infinity, one}).round_to(formats::f32) == infinity);
  CHECK(sum_of(formats::f32, {infinity, infinity | minus}).round_to(formats::f32) == 0x7fffffff);
  CHECK(sum_of(formats::f32, {one, 0x7fc00000}).round_to(formats::f32, {.nan = NanRule::ieee}) ==
        0x7fc00000);
  CHECK(dot(formats::f32, {infinity}, formats::f32, {minus}).round_to(formats::f32) == 0x7fffffff);
  CHECK(dot(formats::f32, {infinity}, formats::f32, {minus | one}).round_to(formats::f32) ==
        (infinity | minus));
  CHECK_FALSE(sum_of(formats::f32, {infinity}).is_finite());
  CHECK_THROWS_AS(sum_of(formats::f32, {infinity}).value(), std::domain_error);

  Superaccumulator both = sum_of(formats::f32, {infinity});
  both += sum_of(formats::f32, {infinity | minus});
  CHECK(both.round_to(formats::f32) == 0x7fffffff);
}

TEST_CASE("partial sums may be taken in any grouping") {
  test::for_all(50, [](test::Random& random) {
    const std::vector<Bits> codes = test::cancelling_codes(random, formats::f64, 60, false);
    const std::size_t cut = random.below(codes.size());
    Superaccumulator left =
        sum_of(formats::f64, {codes.begin(), codes.begin() + static_cast<long>(cut)});
    left += sum_of(formats::f64, {codes.begin() + static_cast<long>(cut), codes.end()});
    REQUIRE(left.value() == sum_of(formats::f64, codes).value());
  });
}
