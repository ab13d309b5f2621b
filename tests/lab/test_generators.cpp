#include <bit>
#include <cmath>

#include "lab/generators.hpp"
#include "lab/inputs.hpp"
#include "lab/integer_rounder.hpp"
#include "lab/vector_source.hpp"
#include "lab/word_stream.hpp"
#include "sim/arith.hpp"
#include "tests/support/property.hpp"

using namespace whybits;

namespace {

struct Expected {
  const char* input;
  const char* format;
  std::vector<Bits> codes;
};

// Printed by: python3 tests/lab/generated_inputs.py
constexpr std::uint64_t indices[] = {0, 1, 2, 3, 4, 1000, 58720255};
// clang-format off
const Expected table[] = {
    {"uniform:11", "f64", {0x3fc1ffa900000000, 0x3fe1a1f500000000, 0xbfe18e7f40000000, 0xbfebb180c0000000, 0x3fc39c6000000000, 0x3fec34bd80000000, 0xbfc6de0800000000}},
    {"uniform:11", "f32", {0x3e0ffd48, 0x3f0d0fa8, 0xbf0c73fa, 0xbf5d8c06, 0x3e1ce300, 0x3f61a5ec, 0xbe36f040}},
    {"uniform:11", "tf32", {0x1f080, 0x1f868, 0x5f864, 0x5faec, 0x1f0e7, 0x1fb0d, 0x5f1b8}},
    {"uniform:11", "bf16", {0x3e10, 0x3f0d, 0xbf0c, 0xbf5e, 0x3e1d, 0x3f62, 0xbe37}},
    {"uniform:11", "f16", {0x3080, 0x3868, 0xb864, 0xbaec, 0x30e7, 0x3b0d, 0xb1b8}},
    {"uniform:11", "e5m2", {0x30, 0x38, 0xb8, 0xbb, 0x31, 0x3b, 0xb2}},
    {"uniform:11", "e4m3", {0x21, 0x31, 0xb1, 0xb6, 0x22, 0x36, 0xa3}},
    {"uniform:11", "e3m2", {0x2, 0x8, 0x28, 0x2b, 0x2, 0xb, 0x23}},
    {"uniform:11", "e2m1", {0x0, 0x1, 0x9, 0xa, 0x0, 0x2, 0x8}},
    {"wide:12", "f64", {0x401dda1340000000, 0x3f567dba00000000, 0xbf88242500000000, 0x3fbac7ff80000000, 0x3fad51a040000000, 0xbf91638e00000000, 0x4029235580000000}},
    {"wide:12", "f32", {0x40eed09a, 0x3ab3edd0, 0xbc412128, 0x3dd63ffc, 0x3d6a8d02, 0xbc8b1c70, 0x41491aac}},
    {"wide:12", "tf32", {0x20777, 0x1d59f, 0x5e209, 0x1eeb2, 0x1eb54, 0x5e459, 0x20a49}},
    {"wide:12", "bf16", {0x40ef, 0x3ab4, 0xbc41, 0x3dd6, 0x3d6b, 0xbc8b, 0x4149}},
    {"wide:12", "f16", {0x4777, 0x159f, 0xa209, 0x2eb2, 0x2b54, 0xa459, 0x4a49}},
    {"wide:12", "e5m2", {0x47, 0x16, 0xa2, 0x2f, 0x2b, 0xa4, 0x4a}},
    {"wide:12", "e4m3", {0x4f, 0x1, 0x86, 0x1d, 0x17, 0x89, 0x55}},
    {"wide:12", "e3m2", {0x17, 0x0, 0x20, 0x2, 0x1, 0x20, 0x1a}},
    {"wide:12", "e2m1", {0x7, 0x0, 0x8, 0x0, 0x0, 0x8, 0x7}},
    {"outliers:14", "f64", {0x3f9c566e80000000, 0xbf50667800000000, 0x3f9f6781c0000000, 0xbf81625280000000, 0x3f53498c00000000, 0x3f854cc480000000, 0xbf99305040000000}},
    {"outliers:14", "f32", {0x3ce2b374, 0xba8333c0, 0x3cfb3c0e, 0xbc0b1294, 0x3a9a4c60, 0x3c2a6624, 0xbcc98282}},
    {"outliers:14", "tf32", {0x1e716, 0x5d41a, 0x1e7da, 0x5e059, 0x1d4d2, 0x1e153, 0x5e64c}},
    {"outliers:14", "bf16", {0x3ce3, 0xba83, 0x3cfb, 0xbc0b, 0x3a9a, 0x3c2a, 0xbcca}},
    {"outliers:14", "f16", {0x2716, 0x941a, 0x27da, 0xa059, 0x14d2, 0x2153, 0xa64c}},
    {"outliers:14", "e5m2", {0x27, 0x94, 0x28, 0xa0, 0x15, 0x21, 0xa6}},
    {"outliers:14", "e4m3", {0xe, 0x81, 0x10, 0x84, 0x1, 0x5, 0x8d}},
    {"outliers:14", "e3m2", {0x0, 0x20, 0x0, 0x20, 0x0, 0x0, 0x20}},
    {"outliers:14", "e2m1", {0x0, 0x8, 0x0, 0x8, 0x0, 0x0, 0x8}},
    {"bits:13", "f64", {0x80aec5607512fa54, 0x9475b22be67ed5fd, 0x1964cae99f3dc930, 0x435a227db8ee9cb5, 0xc1bfadce1db3da09, 0x45c2e92120fad13a, 0xa1540bc5fd1b69e8}},
    {"bits:13", "f32", {0x80aec560, 0x9475b22b, 0x1964cae9, 0x435a227d, 0xc1bfadce, 0x45c2e921, 0xa1540bc5}},
    {"bits:13", "bf16", {0x80ae, 0x9475, 0x1964, 0x435a, 0xc1bf, 0x45c2, 0xa154}},
    {"bits:13", "e4m3", {0x80, 0x94, 0x19, 0x43, 0xc1, 0x45, 0xa1}},
};
// clang-format on

Bits code_at(const CodeSource& source, std::uint64_t index) {
  Bits code = 0;
  source.read(index, 1, {&code, 1});
  return code;
}

/// An f32 value of the definition, made by the processor; every operation on it is exact.
float uniform_value(std::uint64_t h) {
  return std::ldexp(static_cast<float>(h >> 40), -23) - 1.0F;
}
float wide_value(std::uint64_t h) {
  return std::ldexp(uniform_value(h), static_cast<int>(h & 15) - 8);
}
float outliers_value(std::uint64_t h) {
  return h % 256 == 0 ? uniform_value(h) : uniform_value(h) / 32;
}

struct Kind {
  const char* name;
  std::unique_ptr<CodeSource> (*source)(const Format&, std::uint64_t, std::uint64_t);
  float (*value)(std::uint64_t);
};
constexpr Kind kinds[] = {{"uniform", uniform_source, uniform_value},
                          {"wide", wide_source, wide_value},
                          {"outliers", outliers_source, outliers_value}};

}  // namespace

TEST_CASE("mix is SplitMix64") {
  // First outputs of SplitMix64 seeded with 0 and 1234567, as published with the algorithm.
  CHECK(mix(0) == 0xe220a8397b1dcdaf);
  CHECK(mix(1234567) == 6457827717110365317U);
}

TEST_CASE("generated inputs are those of an independent implementation") {
  for (const Expected& row : table) {
    const auto source = parse_input(row.input, *parse_format(row.format), 58720256);
    for (std::size_t i = 0; i < row.codes.size(); ++i) {
      CAPTURE(row.input, row.format, indices[i]);
      CHECK(code_at(*source, indices[i]) == row.codes[i]);
    }
  }
}

TEST_CASE("uniform, wide and outliers are the f32 value converted once") {
  constexpr std::size_t count = 20'000;
  for (const NamedFormat& named : named_formats()) {
    for (const Kind& kind : kinds) {
      const Format& format = named.format;
      const auto source = kind.source(format, count, 5);
      const std::vector<Bits> codes = read_all(*source);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const Bits f32 = std::bit_cast<std::uint32_t>(kind.value(WordStream(5)[i]));
        if (codes[i] != convert(formats::f32, format, f32, generator_rule(format))) ++wrong;
      }
      CAPTURE(named.name, kind.name);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("direct rounding equals convert for any format, at ties and edges") {
  test::for_all(20'000, [](test::Random& random) {
    const Format format{static_cast<int>(random.between(2, 11)),
                        static_cast<int>(random.between(1, 52))};
    const int exponent = static_cast<int>(random.between(-64, 40));
    // Few significant bits make ties and exact values frequent.
    auto value = static_cast<std::int32_t>(random() >> 33) >> random.below(31);
    if (random.coin()) value = -value;
    const RoundRule rule{.overflow = random.coin() ? Overflow::saturate : Overflow::ieee};
    const auto f64 = std::bit_cast<Bits>(std::ldexp(static_cast<double>(value), exponent));
    CAPTURE(format_name(format), value, exponent);
    REQUIRE(IntegerRounder(format, rule)(value, exponent) ==
            convert(formats::f64, format, f64, rule));
  });
}

TEST_CASE("a strided read takes every stride-th element") {
  for (const char* input :
       {"uniform:1", "wide:1", "outliers:1", "bits:1", "ones", "linspace:-2:3"}) {
    const auto source = parse_input(input, formats::bf16, 1000);
    const std::vector<Bits> all = read_all(*source);
    std::vector<Bits> column(100);
    source->read(7, 10, column);
    for (std::size_t i = 0; i < column.size(); ++i) CHECK(column[i] == all[7 + 10 * i]);
    source->read(999, 5, std::span(column).first(1));
    CHECK(column[0] == all[999]);
    source->read(0, 1, {});
  }
}

TEST_CASE("ones are one in every format") {
  for (const NamedFormat& named : named_formats()) {
    CAPTURE(named.name);
    const Unpacked one = unpack(named.format, code_at(*ones_source(named.format, 1), 0));
    CHECK(std::ldexp(static_cast<double>(one.significand), one.exponent) == 1.0);
    CHECK_FALSE(one.negative);
  }
}

TEST_CASE("linspace has equal steps in f64, rounded once") {
  const auto f64 = parse_input("linspace:0:1", formats::f64, 11);
  // python3 -c "print([(0 + i*(1.0-0)/10).hex() for i in (0, 1, 3, 10)])"
  CHECK(code_at(*f64, 0) == 0);
  CHECK(code_at(*f64, 1) == 0x3fb999999999999a);
  CHECK(code_at(*f64, 3) == 0x3fd3333333333333);
  CHECK(code_at(*f64, 10) == 0x3ff0000000000000);
  CHECK(code_at(*parse_input("linspace:0:1", formats::bf16, 11), 1) == 0x3dcd);
  CHECK(code_at(*parse_input("linspace:3:9", formats::f32, 1), 0) == 0x40400000);
  // Narrow formats saturate as cvt.satfinite does, wider ones overflow.
  CHECK(code_at(*parse_input("linspace:-1000:1000", formats::e4m3, 2), 0) == 0xfe);
  CHECK(code_at(*parse_input("linspace:-1e6:1e6", formats::f16, 2), 1) == 0x7c00);
}

TEST_CASE("bits of a tf32 operand are whole f32 words") {
  const auto tf32 = parse_input("bits:13", formats::tf32, 4);
  CHECK(tf32->format() == formats::f32);
  CHECK(code_at(*tf32, 0) == 0x80aec560);
  CHECK(parse_input("uniform:1", formats::tf32, 4)->format() == formats::tf32);
}
