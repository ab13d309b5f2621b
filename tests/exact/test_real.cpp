#include <bit>

#include "exact/real.hpp"
#include "sim/arith.hpp"
#include "tests/support/property.hpp"

using namespace whybits;
using namespace whybits::exact;

namespace {

constexpr Rounding roundings[] = {Rounding::nearest_even, Rounding::nearest_away, Rounding::zero,
                                  Rounding::up,           Rounding::down,         Rounding::odd};
constexpr Overflow overflows[] = {Overflow::ieee, Overflow::infinity, Overflow::saturate};

}  // namespace

TEST_CASE("codes of f64 and f32 mean what the processor means by them") {
  test::for_all(20'000, [](test::Random& random) {
    const Bits word = random();
    const double as_f64 = std::bit_cast<double>(word);
    const float as_f32 = std::bit_cast<float>(static_cast<std::uint32_t>(word));
    const double mpfr_f64 = mpfr_get_d(real_from_code(formats::f64, word).get(), MPFR_RNDN);
    const float mpfr_f32 =
        mpfr_get_flt(real_from_code(formats::f32, word & 0xffffffff).get(), MPFR_RNDN);
    CAPTURE(word);
    if (as_f64 == as_f64) REQUIRE(std::bit_cast<Bits>(mpfr_f64) == word);
    if (as_f64 != as_f64) REQUIRE(mpfr_f64 != mpfr_f64);
    if (as_f32 == as_f32) REQUIRE(std::bit_cast<std::uint32_t>(mpfr_f32) == (word & 0xffffffff));
  });
}

TEST_CASE("rounding a double to f32 is what the processor does") {
  test::for_all(20'000, [](test::Random& random) {
    // Exponents around f32's whole range, subnormals and overflow included.
    const Bits field = static_cast<Bits>(random.between(1023 - 155, 1023 + 130));
    const Bits word = (random() & 0x800fffffffffffff) | field << 52;
    const auto expected =
        std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(word)));
    CAPTURE(word);
    REQUIRE(code_from_real(formats::f32, real_from_code(formats::f64, word), {}) == expected);
  });
}

TEST_CASE("small formats: every code, rounding and overflow rule agrees with convert") {
  for (const NamedFormat& from : named_formats()) {
    if (from.format.code_bits() > 16) continue;
    for (const NamedFormat& to : named_formats()) {
      if (to.format.code_bits() > 8 && from.format.code_bits() > 8) continue;
      const Bits step = from.format.code_bits() > 8 ? 7 : 1;
      std::size_t wrong = 0;
      for (Bits code = 0; code <= from.format.code_mask(); code += step)
        for (const Rounding rounding : roundings)
          for (const Overflow overflow : overflows) {
            const RoundRule rule{rounding, overflow, NanRule::gpu, Flush::none};
            const Bits got = code_from_real(to.format, real_from_code(from.format, code), rule);
            const Bits want = convert(from.format, to.format, code, rule);
            if (got != want) ++wrong;
          }
      CAPTURE(from.name, to.name);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("flushing and NaN rules apply to results") {
  const Real subnormal = real_from_code(formats::f32, 0x80000001);
  CHECK(code_from_real(formats::f32, subnormal, {.flush = Flush::out}) == 0x80000000);
  CHECK(code_from_real(formats::f32, subnormal, {.flush = Flush::in}) == 0x80000001);
  CHECK(code_from_real(formats::f32, Real(64), {.nan = NanRule::ieee}) == 0x7fc00000);
  CHECK(code_from_real(formats::f32, Real(64), {}) == 0x7fffffff);
}
