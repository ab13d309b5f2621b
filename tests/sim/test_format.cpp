// Formats as data: names, limits, classes, words.
#include <cmath>
#include <limits>

#include "tests/support/catch.hpp"
#include "tests/support/operands.hpp"

using namespace whybits;
using namespace whybits::test;

TEST_CASE("named formats have the limits of their specifications") {
  struct Limits {
    const char* name;
    int code_bits, min_exponent, max_exponent;
    Bits max_finite;
    double largest;
  };
  // IEEE 754-2019 table 3.5; OCP 8-bit floating point 1.0, table 1; OCP MX 1.0, sections 5.3.
  const Limits table[] = {
      {"f64", 64, -1022, 1023, 0x7fefffffffffffff, std::numeric_limits<double>::max()},
      {"f32", 32, -126, 127, 0x7f7fffff, double{std::numeric_limits<float>::max()}},
      {"tf32", 19, -126, 127, 0x3fbff, 0x1.ffcp+127},
      {"f16", 16, -14, 15, 0x7bff, 65504},
      {"bf16", 16, -126, 127, 0x7f7f, 0x1.fep+127},
      {"e5m2", 8, -14, 15, 0x7b, 57344},
      {"e4m3", 8, -6, 8, 0x7e, 448},
      {"e3m2", 6, -2, 4, 0x1f, 28},
      {"e2m3", 6, 0, 2, 0x1f, 7.5},
      {"e2m1", 4, 0, 2, 0x7, 6},
  };
  CHECK(named_formats().size() == std::size(table));
  for (const Limits& row : table) {
    CAPTURE(row.name);
    const std::optional<Format> format = parse_format(row.name);
    REQUIRE(format);
    CHECK(format_name(*format) == row.name);
    CHECK(format->code_bits() == row.code_bits);
    CHECK(format->min_exponent() == row.min_exponent);
    CHECK(format->max_exponent() == row.max_exponent);
    CHECK(format->max_finite() == row.max_finite);
    const Unpacked largest = unpack(*format, row.max_finite);
    CHECK(std::ldexp(static_cast<double>(largest.significand), largest.exponent) == row.largest);
  }
}

TEST_CASE("a format without a name of its own is written eXmY, and read back") {
  for (int exponent_bits = 2; exponent_bits <= 11; ++exponent_bits)
    for (int fraction_bits = 1; fraction_bits <= 52; ++fraction_bits) {
      const std::string name =
          "e" + std::to_string(exponent_bits) + "m" + std::to_string(fraction_bits);
      const std::optional<Format> format = parse_format(name);
      REQUIRE(format);
      CHECK(parse_format(format_name(*format)) == format);
      CHECK(format->exponent_bits == exponent_bits);
      CHECK(format->fraction_bits == fraction_bits);
    }
}

TEST_CASE("eXmY of a named format is that format") {
  CHECK(parse_format("e5m10") == formats::f16);
  CHECK(parse_format("e8m7") == formats::bf16);
  CHECK(parse_format("e8m10") == formats::tf32);
  CHECK(parse_format("e11m52") == formats::f64);
  CHECK(parse_format("e4m3")->specials == Specials::nan_only);
  CHECK(parse_format("e2m1")->specials == Specials::none);
}

TEST_CASE("what is not a format is refused") {
  for (const char* name :
       {"", "f", "f17", "F32", "e", "e8", "e8m", "e1m3", "e12m3", "e5m0", "e8m53", "e08m7", "e8m07",
        "e-8m7", "e8m7 ", " f32", "e99999999999m3", "fp16"}) {
    CAPTURE(name);
    CHECK_FALSE(parse_format(name));
  }
}

TEST_CASE("every code of every small format unpacks to the value that its fields say") {
  for (const Format& format : formats_to_test()) {
    if (format.code_bits() > 19) continue;
    CAPTURE(format_name(format));
    Real want;
    int differ = 0;
    for (Bits code = 0; code < Bits{1} << format.code_bits(); ++code) {
      decode(format, code, want);
      const Unpacked got = unpack(format, code);
      Real value;
      mpfr_set_ui_2exp(value.get(), got.significand, got.exponent, MPFR_RNDN);
      mpfr_setsign(value.get(), value.get(), got.negative ? 1 : 0, MPFR_RNDN);
      const bool same_class = (got.cls == FpClass::nan) == (mpfr_nan_p(want.get()) != 0) &&
                              (got.cls == FpClass::infinity) == (mpfr_inf_p(want.get()) != 0) &&
                              (got.cls == FpClass::zero) == (mpfr_zero_p(want.get()) != 0);
      const bool same_value = !got.finite() || (mpfr_equal_p(value.get(), want.get()) != 0 &&
                                                got.negative == (mpfr_signbit(want.get()) != 0));
      if (!same_class || !same_value) ++differ;
    }
    CHECK(differ == 0);
  }
}

TEST_CASE("subnormals keep the exponent of the smallest normal") {
  const Unpacked smallest = unpack(formats::f32, 1);
  CHECK(smallest.cls == FpClass::subnormal);
  CHECK(smallest.significand == 1);
  CHECK(smallest.exponent == -149);
  CHECK(unpack(formats::f32, 0x00800000).exponent == -149);
  CHECK(unpack(formats::f32, 0x00800000).cls == FpClass::normal);
}

TEST_CASE("widens_exactly is true just when every code survives the way there and back") {
  const std::vector<Format> all = formats_to_test();
  for (const Format& from : all) {
    if (from.code_bits() > 12) continue;
    for (const Format& to : all) {
      Real value;
      MpfrRounder rounder;
      bool survives = true;
      for (Bits code = 0; code < Bits{1} << from.code_bits(); ++code) {
        decode(from, code, value);
        Real back;
        decode(to, rounder.round(to, value, 0, {}), back);
        const bool both_nan = mpfr_nan_p(value.get()) != 0 && mpfr_nan_p(back.get()) != 0;
        if (!both_nan && mpfr_equal_p(value.get(), back.get()) == 0) survives = false;
      }
      CAPTURE(format_name(from), format_name(to));
      CHECK(widens_exactly(from, to) == survives);
    }
  }
}

TEST_CASE("a tf32 word is an f32 word, its 13 low bits do not count") {
  CHECK(formats::tf32.word_bits() == 32);
  CHECK(word_from_code(formats::tf32, 0x1fc00) == 0x3f800000);  // 1.0
  CHECK(code_from_word(formats::tf32, 0x3f801fff) == 0x1fc00);
  CHECK(code_from_word(formats::tf32, 0xbf802000) == 0x5fc01);
  for (const NamedFormat& named : named_formats())
    if (named.name != "tf32") CHECK(word_from_code(named.format, 0x5) == 0x5);
}

TEST_CASE("storage words are 8, 16, 32 or 64 bits") {
  const std::pair<const char*, int> widths[] = {{"f64", 64},  {"f32", 32},   {"f16", 16},
                                                {"bf16", 16}, {"e4m3", 8},   {"e2m1", 8},
                                                {"e3m2", 8},  {"e8m13", 32}, {"e11m21", 64}};
  for (const auto& [name, bits] : widths) {
    CAPTURE(name);
    CHECK(parse_format(name)->word_bits() == bits);
  }
}
