// Every fast path of exact sums against MPFR's exact addition.
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "exact/exact_dot.hpp"
#include "exact/exact_path.hpp"
#include "exact/oracle.hpp"
#include "tests/exact/cancelling_codes.hpp"

using namespace whybits;
using namespace whybits::exact;
using namespace whybits::test;

namespace {

using Codes = std::vector<Bits>;

OperandWords operand(const Format& format, const Codes& codes) {
  return {format, std::span<const Bits>(codes)};
}

std::vector<Unpacked> unpack_all(const Format& format, const Codes& codes) {
  std::vector<Unpacked> unpacked;
  for (const Bits code : codes) unpacked.push_back(unpack(format, code));
  return unpacked;
}

template <class Word>
std::vector<Word> words_of(const Format& format, const Codes& codes) {
  std::vector<Word> words;
  for (const Bits code : codes) words.push_back(static_cast<Word>(word_from_code(format, code)));
  return words;
}

/// Calls check with the operand in its storage width and as codes.
template <class Check>
void in_every_width(const Format& format, const Codes& codes, Check check) {
  check(operand(format, codes));
  if (format.word_bits() == 8) {
    const auto words = words_of<std::uint8_t>(format, codes);
    check(OperandWords(format, std::span(std::as_const(words))));
  } else if (format.word_bits() == 16) {
    const auto words = words_of<std::uint16_t>(format, codes);
    check(OperandWords(format, std::span(std::as_const(words))));
  } else if (format.word_bits() == 32) {
    const auto words = words_of<std::uint32_t>(format, codes);
    check(OperandWords(format, std::span(std::as_const(words))));
  }
}

struct Rounded {
  Format format;
  RoundRule rule;
  Bits code;
};

/// MPFR's answer: in two formats and every rounding, and the value if it is finite.
struct Expected {
  std::vector<Rounded> rounded;
  std::optional<Dyadic> value;

  Expected(const CodeSpan& a, const CodeSpan& b) {
    for (const Format& format : {formats::f32, formats::bf16})
      for (const Rounding rounding : all_roundings) {
        const RoundRule rule{.rounding = rounding};
        rounded.push_back({format, rule, oracle_dot(a, b, format, rule)});
      }
    if (unpack(formats::f32, rounded[0].code).cls != FpClass::nan && finite(a) && finite(b))
      value = oracle_dot_value(a, b);
  }
  static bool finite(const CodeSpan& x) {
    return std::all_of(x.codes.begin(), x.codes.end(),
                       [&](Bits code) { return unpack(x.format, code).finite(); });
  }
};

void check_equal(const Superaccumulator& sum, const Expected& expected) {
  for (const Rounded& want : expected.rounded)
    REQUIRE(sum.round_to(want.format, want.rule) == want.code);
  REQUIRE(sum.is_finite() == expected.value.has_value());
  if (expected.value) REQUIRE(sum.value() == *expected.value);
}

std::size_t random_count(Random& random) {
  static const std::vector<std::size_t> borders{0, 1, 2, 63, 64, 65, 255, 256, 257, 511, 513};
  return random.coin() ? random.pick(borders) : random.below(1200);
}

}  // namespace

TEST_CASE("a dot product of any two formats, in whatever width, equals MPFR's") {
  for_all(400, [](Random& random) {
    const Format fa = random_format(random), fb = random.coin() ? fa : random_format(random);
    const std::size_t count = random_count(random);
    const bool specials = random.below(4) == 0;
    const Codes a = cancelling_codes(random, fa, count, specials);
    const Codes b = cancelling_codes(random, fb, count, specials);
    CAPTURE(format_name(fa), format_name(fb), count, path_name(exact_path(fa, fb)));
    const Expected expected({fa, a}, {fb, b});
    in_every_width(fa, a, [&](const OperandWords& wa) {
      in_every_width(fb, b,
                     [&](const OperandWords& wb) { check_equal(exact_dot(wa, wb), expected); });
    });
    Superaccumulator sum;
    add_products(sum, unpack_all(fa, a), unpack_all(fb, b));
    check_equal(sum, expected);
  });
}

TEST_CASE("a sum of any format, in whatever width, equals MPFR's") {
  for_all(500, [](Random& random) {
    const Format format = random_format(random);
    const std::size_t count = random_count(random);
    const Codes codes = cancelling_codes(random, format, count, random.below(4) == 0);
    const Codes ones(count, 0x3f800000);
    CAPTURE(format_name(format), count);
    const Expected expected({format, codes}, {formats::f32, ones});
    in_every_width(format, codes,
                   [&](const OperandWords& words) { check_equal(exact_sum(words), expected); });
  });
}

TEST_CASE("a million terms over all exponents equal MPFR's") {
  for (const Format& format :
       {formats::f32, formats::f64, formats::bf16, formats::f16, formats::e4m3}) {
    Random random(1);
    const std::size_t count = format == formats::f32 ? 1'000'000 : 200'000;
    const Codes a = cancelling_codes(random, format, count, false);
    const Codes b = cancelling_codes(random, format, count, false);
    CAPTURE(format_name(format));
    CHECK(exact_dot(operand(format, a), operand(format, b)).value() ==
          oracle_dot_value({format, a}, {format, b}));
  }
}

TEST_CASE("a product of every pair of f32 exponents, subnormal ones included") {
  Codes a, b;
  for (Bits i = 0; i < 255; ++i)
    for (Bits j = 0; j < 255; ++j) {
      a.push_back(i << 23 | (i * 7919 + j) % (1 << 23) | (i + j) % 2 << 31);
      b.push_back(j << 23 | 0x7fffff);
    }
  CHECK(exact_dot(operand(formats::f32, a), operand(formats::f32, b)).value() ==
        oracle_dot_value({formats::f32, a}, {formats::f32, b}));
}

TEST_CASE("the largest values never overflow an accumulator") {
  // More than the bins hold at once, and more than an integer sum gathers before it is emptied.
  const std::size_t count = 1'200'000;
  for (const NamedFormat& named : named_formats()) {
    const Codes largest(count, named.format.max_finite());
    const Codes smallest(count, named.format.max_finite() | named.format.sign_mask());
    const Dyadic value = Dyadic::from_code(named.format, named.format.max_finite());
    const Dyadic square = value * value * Dyadic(mpz_class(static_cast<unsigned long>(count)), 0);
    const OperandWords plus = operand(named.format, largest);
    const OperandWords minus = operand(named.format, smallest);
    CAPTURE(named.name);
    CHECK(exact_dot(plus, plus).value() == square);
    CHECK(exact_dot(plus, minus).value() == -square);
    CHECK(exact_sum(minus).value() ==
          -value * Dyadic(mpz_class(static_cast<unsigned long>(count)), 0));
  }
}

TEST_CASE("one NaN or infinity among many terms is noticed, wherever it stands") {
  for (const Format& format :
       {formats::f64, formats::f32, formats::bf16, formats::f16, formats::e4m3}) {
    Codes specials{format.gpu_nan(), format.gpu_nan() | format.sign_mask()};
    if (format.has_infinity()) {
      specials.push_back(format.infinity());
      specials.push_back(format.infinity() | format.sign_mask());
    }
    for (const Bits special : specials)
      for (const std::size_t place : {0U, 255U, 256U, 699U}) {
        Codes a(1000, 1), b(1000, 2);
        a[place] = special;
        CAPTURE(format_name(format), special, place);
        check_equal(exact_dot(operand(format, a), operand(format, b)),
                    Expected({format, a}, {format, b}));
        b[place] = 0;  // infinity times zero
        check_equal(exact_dot(operand(format, a), operand(format, b)),
                    Expected({format, a}, {format, b}));
      }
  }
}

TEST_CASE("a long zero sum has the sign of its terms") {
  for (const Format& format : {formats::f32, formats::f16, formats::e4m3, formats::f64}) {
    const Codes ones(600, static_cast<Bits>(format.bias()) << format.fraction_bits);
    const Codes minus_zeros(600, format.sign_mask()), zeros(600, 0);
    Codes mixed = zeros, cancelling = ones;
    mixed[300] = format.sign_mask();
    for (std::size_t i = 0; i < 300; ++i) cancelling[i] |= format.sign_mask();
    for (const Codes* terms :
         std::initializer_list<const Codes*>{&minus_zeros, &zeros, &mixed, &cancelling}) {
      CAPTURE(format_name(format), (*terms)[0], (*terms)[300]);
      check_equal(exact_dot(operand(format, *terms), operand(format, ones)),
                  Expected({format, *terms}, {format, ones}));
      check_equal(exact_sum(operand(format, *terms)), Expected({format, *terms}, {format, ones}));
    }
  }
}

TEST_CASE("partial dot products may be merged in any grouping") {
  for_all(60, [](Random& random) {
    const Format format = random.pick(named_formats()).format;
    const std::size_t count = random.below(2000);
    const Codes a = cancelling_codes(random, format, count, random.below(8) == 0);
    const Codes b = cancelling_codes(random, format, count, false);
    std::vector<Superaccumulator> parts;
    for (std::size_t first = 0; first < count;) {
      const std::size_t length = std::min(count - first, random.below(700) + 1);
      parts.push_back(exact_dot(operand(format, a).part(first, length),
                                operand(format, b).part(first, length)));
      first += length;
    }
    while (parts.size() > 1) {
      const std::size_t into = random.below(parts.size() - 1);
      parts[into] += parts.back();
      parts.pop_back();
    }
    CAPTURE(format_name(format), count);
    check_equal(parts.empty() ? Superaccumulator() : parts[0], Expected({format, a}, {format, b}));
  });
}

TEST_CASE("the formats choose the arithmetic") {
  using namespace formats;
  CHECK(integer_bits(e4m3) == 18);
  CHECK(integer_bits(e5m2) == 32);
  CHECK(integer_bits(f16) == 40);
  CHECK(exact_path(e4m3, e4m3) == ExactPath::fixed64);
  CHECK(exact_path(f16, {}) == ExactPath::fixed64);
  CHECK(exact_path(e5m2, e5m2) == ExactPath::fixed128);
  CHECK(exact_path(f16, f16) == ExactPath::fixed128);
  CHECK(exact_path(bf16, bf16) == ExactPath::bins);
  CHECK(exact_path(f32, e4m3) == ExactPath::bins);
  CHECK(exact_path(f32, {}) == ExactPath::bins);
  CHECK(exact_path(f64, f32) == ExactPath::wide_bins);
  CHECK(exact_path(f64, {}) == ExactPath::wide_bins);
  CHECK(exact_path({10, 30}, f32) == ExactPath::limbs);
}

TEST_CASE("operands that do not fit are refused") {
  const std::vector<std::uint8_t> bytes(3);
  const Codes two(2), three(3);
  CHECK_THROWS_AS(OperandWords(formats::f16, std::span<const std::uint8_t>(bytes)),
                  std::invalid_argument);
  CHECK_THROWS_AS(exact_dot(operand(formats::f32, two), operand(formats::f32, three)),
                  std::invalid_argument);
}
