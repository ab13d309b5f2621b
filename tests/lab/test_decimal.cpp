// Decimal text of exact numbers, against the C and C++ libraries, which print and read correctly
// rounded.
#include <bit>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "lab/decimal.hpp"
#include "lab/number_input.hpp"
#include "lab/usage_error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/property.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

/// A finite f64 or f32 code; half of them with few fraction bits, which ties are made of.
Bits finite_code(Random& random, const Format& format) {
  for (;;) {
    Bits code = random() & format.code_mask();
    if (random.coin()) code &= ~(format.fraction_mask() >> random.below(8));
    if (unpack(format, code).finite()) return code;
  }
}

double f64_value(Bits code) {
  return std::bit_cast<double>(code);
}
float f32_value(Bits code) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(code));
}

std::string scientific(int places, double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*e", places, value);
  return text;
}

std::string hexadecimal(int places, double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*a", places, value);
  return text;
}

template <class Float>
std::string to_chars_text(Float value) {
  char text[64];
  const auto [end, error] =
      std::to_chars(text, text + sizeof text, value, std::chars_format::scientific);
  return {text, end};
}

Bits read(const std::string& text, const Format& format) {
  return input_code(parse_number(text), format);
}

/// Some decimal: digits, a point somewhere, perhaps an exponent.
std::string any_decimal(Random& random) {
  std::string text = random.coin() ? "-" : "";
  const auto count = 1 + random.below(25);
  const auto point = random.below(count + 1);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i == point) text += '.';
    text += static_cast<char>('0' + random.below(10));
  }
  if (random.coin()) text += "e" + std::to_string(random.between(-330, 310));
  return text;
}

}  // namespace

TEST_CASE("a decimal is read into f64 and f32 as strtod and strtof read it, bit for bit") {
  for_all(20'000, [](Random& random) {
    const std::string text = any_decimal(random);
    const Bits wide = std::bit_cast<Bits>(std::strtod(text.c_str(), nullptr));
    const Bits narrow = std::bit_cast<std::uint32_t>(std::strtof(text.c_str(), nullptr));
    if (read(text, formats::f64) == wide && read(text, formats::f32) == narrow) return;
    CAPTURE(text, wide, narrow);
    FAIL("bits differ");
  });
}

TEST_CASE("a hexadecimal value is read as strtod reads it") {
  for_all(5'000, [](Random& random) {
    const double value = f64_value(finite_code(random, formats::f64));
    const std::string text = hexadecimal(static_cast<int>(random.below(15)), value);
    CAPTURE(text);
    if (read(text, formats::f64) != std::bit_cast<Bits>(std::strtod(text.c_str(), nullptr)))
      FAIL("bits differ");
  });
}

TEST_CASE("the decimals halfway between two f64 numbers, all digits of them, are ties to even") {
  for_all(500, [](Random& random) {
    const Bits code = finite_code(random, formats::f64) >> 1;  // positive
    if (!unpack(formats::f64, code + 1).finite()) return;
    const Dyadic sum =
        Dyadic::from_code(formats::f64, code) + Dyadic::from_code(formats::f64, code + 1);
    const std::string text = (sum * Dyadic(1, -1)).to_decimal();
    CAPTURE(code);
    CHECK(read(text, formats::f64) == code + (code & 1));
    CHECK(read(text + (text.find('.') == std::string::npos ? ".1" : "1"), formats::f64) ==
          code + 1);
  });
}

TEST_CASE("0.1 meets each format in one rounding, not through another format") {
  // 1 + 2^-11 + 2^-60, written out: f64 and f32 would drop the last bit and leave a tie for f16.
  const std::string text = (Dyadic(1, 0) + Dyadic(1, -11) + Dyadic(1, -60)).to_decimal();
  CHECK(read(text, formats::f16) == 0x3c01);
  CHECK(read("0.1", formats::f16) == 0x2e66);
  CHECK(read("0.1", formats::bf16) == 0x3dcd);
}

TEST_CASE("the shortest decimal is std::to_chars', digit for digit") {
  for_all(5'000, [](Random& random) {
    const Bits wide = finite_code(random, formats::f64), narrow = finite_code(random, formats::f32);
    // The layout may differ (1e+05 or 100000): compare what the digits say.
    const auto same = [](const std::string& a, const std::string& b) {
      const NumberInput x = parse_number(a), y = parse_number(b);
      return x.value == y.value && x.negative == y.negative;
    };
    CAPTURE(wide, narrow);
    CHECK(same(shortest_decimal(formats::f64, wide), to_chars_text(f64_value(wide))));
    CHECK(same(shortest_decimal(formats::f32, narrow), to_chars_text(f32_value(narrow))));
  });
}

TEST_CASE("every code of the narrow formats comes back from its shortest decimal and hex float") {
  for (const NamedFormat& named : named_formats()) {
    if (named.format.code_bits() > 16) continue;
    for (Bits code = 0; code < Bits{1} << named.format.code_bits(); ++code) {
      if (!unpack(named.format, code).finite()) continue;
      if (read(shortest_decimal(named.format, code), named.format) == code &&
          read(hex_float(named.format, code), named.format) == code)
        continue;
      CAPTURE(named.name, code);
      FAIL("the code does not come back");
    }
  }
}

TEST_CASE("few digits are correctly rounded, as printf's") {
  for_all(5'000, [](Random& random) {
    const double value = f64_value(finite_code(random, formats::f64));
    const int digits = static_cast<int>(random.between(1, 20));
    const std::string got = short_decimal(to_rational(Dyadic::from_double(value)), digits);
    const std::string want = scientific(digits - 1, value);
    if (parse_number(got).value == parse_number(want).value) return;
    CAPTURE(got, want);
    FAIL("digits differ");
  });
}

TEST_CASE("all digits of a rational, or none if they do not end") {
  CHECK(exact_decimal(mpq_class(1, 8)) == "0.125");
  CHECK(exact_decimal(mpq_class(-1, 40)) == "-0.025");
  CHECK(exact_decimal(mpq_class(7, 1)) == "7");
  CHECK(exact_decimal(mpq_class(0)) == "0");
  CHECK_FALSE(exact_decimal(mpq_class(1, 3)));
  CHECK(short_decimal(mpq_class(1, 3), 5) == "0.33333");
  CHECK(short_decimal(mpq_class(-2, 3), 3) == "-0.667");
  CHECK(short_decimal(mpq_class(999'999), 3) == "1000000");
  CHECK(decimal_label(mpq_class(1, 3), 12) == "0.333333333…");
  CHECK(decimal_label(mpq_class(1, 4), 12) == "0.25");
}

TEST_CASE("codes, infinities and NaN are read as such") {
  CHECK(parse_number("0x3C00").kind == NumberInput::Kind::code);
  CHECK(read("0x3c00", formats::f16) == 0x3c00);
  CHECK(read("0x3F800000", formats::tf32) == 0x1fc00);
  CHECK(read("-inf", formats::f16) == 0xfc00);
  CHECK(read("Infinity", formats::f16) == 0x7c00);
  CHECK(read("NaN", formats::f16) == 0x7fff);
  CHECK(read("inf", formats::e4m3) == 0x7f);
  CHECK(read("-0", formats::f16) == 0x8000);
  CHECK(read("-0.0e5", formats::f16) == 0x8000);
  CHECK(read("+1", formats::f16) == 0x3c00);
  CHECK(read(".5", formats::f16) == 0x3800);
  CHECK(read("5.", formats::f16) == 0x4500);
  CHECK(read("0x.8", formats::f16) == 0x3800);
}

TEST_CASE("what is not a number is refused with the reason") {
  const std::pair<const char*, const char*> cases[] = {
      {"", "no digits"},
      {"-", "no digits"},
      {".", "no digits"},
      {"1..2", "'.' is out of place"},
      {"1e", "exponent has no digits"},
      {"1e+-2", "exponent has no digits"},
      {"1e99999999999999999999", "exponents go up to"},
      {"1e20001", "exponents go up to"},
      {"0x", "no hexadecimal digit"},
      {"0xg", "no hexadecimal digit"},
      {"0x12345678123456781", "up to 16 digits"},
      {"-0x3c00", "sign in its first bit"},
      {"1,5", "',' is out of place"},
      {"--1", "no digits"},
      {"1 ", "' ' is out of place"},
  };
  for (const auto& [text, reason] : cases) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse_number(text), contains(reason));
  }
  CHECK_THROWS_WITH(parse_number(std::string(10'001, '1')), contains("10001 characters"));
  CHECK_THROWS_WITH(read("0x10000", formats::f16), contains("does not fit f16"));
  CHECK_THROWS_WITH(read("0x3F800001", formats::tf32), contains("low bits are not zero"));
}

TEST_CASE("the limits of numbers are cheap to reach") {
  CHECK(read("1e20000", formats::f64) == 0x7ff0000000000000);
  CHECK(read("-1e-20000", formats::f64) == Bits{1} << 63);
  CHECK(read(std::string(10'000, '9'), formats::f64) == 0x7ff0000000000000);
}
