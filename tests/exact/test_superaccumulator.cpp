#include <vector>

#include "exact/oracle.hpp"
#include "exact/superaccumulator.hpp"
#include "tests/support/property.hpp"

using namespace whybits;
using namespace whybits::exact;

namespace {

constexpr Rounding roundings[] = {Rounding::nearest_even, Rounding::nearest_away, Rounding::zero,
                                  Rounding::up,           Rounding::down,         Rounding::odd};

std::vector<Unpacked> unpack_all(const Format& format, const std::vector<Bits>& codes) {
  std::vector<Unpacked> unpacked;
  for (const Bits code : codes) unpacked.push_back(unpack(format, code));
  return unpacked;
}

Superaccumulator dot(const Format& fa, const std::vector<Bits>& a, const Format& fb,
                     const std::vector<Bits>& b) {
  Superaccumulator sum;
  sum.add_products(unpack_all(fa, a), unpack_all(fb, b));
  return sum;
}

Superaccumulator sum_of(const Format& format, const std::vector<Bits>& codes) {
  Superaccumulator sum;
  for (const Bits code : codes) sum.add(format, code);
  return sum;
}

Format random_format(test::Random& random) {
  if (random.coin()) return random.pick(named_formats()).format;
  return {static_cast<int>(random.between(2, 11)), static_cast<int>(random.between(1, 52))};
}

/// Any code, a small one, or the negative of the one before: all exponents, and cancellation.
std::vector<Bits> random_codes(test::Random& random, const Format& format, std::size_t count,
                               bool specials) {
  std::vector<Bits> codes(count);
  for (std::size_t i = 0; i < count; ++i) {
    Bits code = random() & format.code_mask();
    if (random.below(4) == 0) code &= format.sign_mask() | format.fraction_mask();
    if (i > 0 && random.below(3) == 0) code = codes[i - 1] ^ format.sign_mask();
    if (!specials && !unpack(format, code).finite()) code &= format.sign_mask();
    codes[i] = code;
  }
  return codes;
}

}  // namespace

TEST_CASE("sums of any format equal MPFR's, in every rounding") {
  test::for_all(4'000, [](test::Random& random) {
    const Format in = random_format(random), out = random_format(random);
    const std::vector<Bits> codes =
        random_codes(random, in, random.below(20), random.below(4) == 0);
    const Superaccumulator sum = sum_of(in, codes);
    CAPTURE(format_name(in), format_name(out), codes);
    for (const Rounding rounding : roundings) {
      const RoundRule rule{.rounding = rounding};
      REQUIRE(sum.round_to(out, rule) == oracle_sum({in, codes}, out, rule));
    }
  });
}

TEST_CASE("dot products of any two formats equal MPFR's, in every rounding") {
  test::for_all(4'000, [](test::Random& random) {
    const Format fa = random_format(random), fb = random_format(random),
                 out = random_format(random);
    const std::size_t count = random.below(20);
    const bool specials = random.below(4) == 0;
    const std::vector<Bits> a = random_codes(random, fa, count, specials);
    const std::vector<Bits> b = random_codes(random, fb, count, specials);
    const Superaccumulator sum = dot(fa, a, fb, b);
    CAPTURE(format_name(fa), format_name(fb), format_name(out), a, b);
    for (const Rounding rounding : roundings) {
      const RoundRule rule{.rounding = rounding};
      REQUIRE(sum.round_to(out, rule) == oracle_dot({fa, a}, {fb, b}, out, rule));
    }
    if (sum.is_finite()) REQUIRE(sum.value() == oracle_dot_value({fa, a}, {fb, b}));
  });
}

TEST_CASE("long dot products take the same value as short ones") {
  // From 512 terms on, narrow products go through bins: every mixture of the two paths.
  for (const Format& format : {formats::bf16, formats::f32, formats::e4m3, formats::f64}) {
    test::for_all(3, [&](test::Random& random) {
      const std::size_t count = 512 + random.below(3000);
      const std::vector<Bits> a = random_codes(random, format, count, false);
      const std::vector<Bits> b = random_codes(random, format, count, false);
      CAPTURE(format_name(format));
      REQUIRE(dot(format, a, format, b).value() == oracle_dot_value({format, a}, {format, b}));
    });
  }
}

TEST_CASE("a NaN or an infinity is noticed in a long dot product too") {
  const std::vector<Bits> ones(1000, 0x3f80);
  for (const Bits special : {Bits{0x7f80}, Bits{0xff80}, Bits{0x7fc0}}) {
    std::vector<Bits> a = ones;
    a[700] = special;
    CHECK(dot(formats::bf16, a, formats::bf16, ones).round_to(formats::bf16) ==
          oracle_dot({formats::bf16, a}, {formats::bf16, ones}, formats::bf16));
  }
}

TEST_CASE("a million terms over all exponents of f32") {
  test::Random random(1);
  const std::vector<Bits> a = random_codes(random, formats::f32, 1'000'000, false);
  const std::vector<Bits> b = random_codes(random, formats::f32, 1'000'000, false);
  CHECK(dot(formats::f32, a, formats::f32, b).value() ==
        oracle_dot_value({formats::f32, a}, {formats::f32, b}));
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

TEST_CASE("the largest products of one exponent do not overflow their bin") {
  const std::size_t count = 100'000;
  const std::vector<Bits> largest(count, 0x7f7fffff);  // significand 2^24 − 1
  const Dyadic expected =
      Dyadic(mpz_class(0xffffff) * 0xffffff * static_cast<unsigned long>(count), 208);
  CHECK(dot(formats::f32, largest, formats::f32, largest).value() == expected);
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
    const std::vector<Bits> codes = random_codes(random, formats::f64, 60, false);
    const std::size_t cut = random.below(codes.size());
    Superaccumulator left =
        sum_of(formats::f64, {codes.begin(), codes.begin() + static_cast<long>(cut)});
    left += sum_of(formats::f64, {codes.begin() + static_cast<long>(cut), codes.end()});
    REQUIRE(left.value() == sum_of(formats::f64, codes).value());
  });
}
