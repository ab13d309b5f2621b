// e8m0, the format of MX scales: 2^(code − 127), no sign, no zero, 0xFF is NaN.
#include "sim/compare.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/flag_cases.hpp"

#if defined(WHYBITS_NUMBER_HEADERS)
#include <cuda_fp8.h>
#endif

using namespace whybits;
using namespace whybits::test;

namespace {

constexpr Format e8m0 = formats::e8m0;

Answer from_f32(Bits code, const RoundRule& rule = {}) {
  return converted(formats::f32, e8m0, code, rule);
}

}  // namespace

TEST_CASE("e8m0 has the limits of OCP MX 1.0, section 5.4.1") {
  CHECK(parse_format("e8m0") == e8m0);
  CHECK(format_name(e8m0) == "e8m0");
  CHECK(e8m0.code_bits() == 8);
  CHECK(e8m0.word_bits() == 8);
  CHECK(e8m0.min_exponent() == -127);
  CHECK(e8m0.max_exponent() == 127);
  CHECK(e8m0.max_finite() == 0xfe);
  CHECK(e8m0.gpu_nan() == 0xff);
}

TEST_CASE("every e8m0 code is 2^(code − 127), and comes back from f64") {
  for (Bits code = 0; code < 255; ++code) {
    const Bits wide = convert(e8m0, formats::f64, code);
    CHECK(wide == (code + 1023 - 127) << 52);
    CHECK(converted(formats::f64, e8m0, wide, {}) == Answer{code, {}});
  }
  CHECK(convert(e8m0, formats::f32, 0xff) == 0x7fffffff);
  CHECK(widens_exactly(e8m0, formats::f32));
  CHECK_FALSE(widens_exactly(formats::f32, e8m0));
  CHECK_FALSE(widens_exactly(e8m0, formats::f16));
}

TEST_CASE("conversions to e8m0 at the edges") {
  const Flags inexact{.inexact = true}, overflow{.overflow = true, .inexact = true},
      underflow{.underflow = true, .inexact = true}, invalid{.invalid = true};
  const RoundRule up{.rounding = Rounding::up}, down{.rounding = Rounding::zero};
  CHECK(from_f32(0x3fc00000) == Answer{128, inexact});  // 1.5 is a tie: every code is odd, up
  CHECK(from_f32(0x3fbfffff) == Answer{127, inexact});
  CHECK(from_f32(0x3f800001, up) == Answer{128, inexact});
  CHECK(from_f32(0x3fffffff, down) == Answer{127, inexact});
  CHECK(from_f32(0x7f7fffff, down) == Answer{0xfe, inexact});
  CHECK(from_f32(0x7f7fffff, up) == Answer{0xff, overflow});
  CHECK(from_f32(0x7f7fffff, {.rounding = Rounding::up, .overflow = Overflow::saturate}) ==
        Answer{0xfe, overflow});
  CHECK(from_f32(0) == Answer{0, underflow});  // no zero: the smallest takes its place
  CHECK(from_f32(0x00000001, down) == Answer{0, underflow});
  CHECK(from_f32(0x00400000) == Answer{0, {}});         // 2^−127
  CHECK(from_f32(0xbf800000) == Answer{127, invalid});  // no sign: the magnitude
  CHECK(from_f32(0x7f800000).code == 0xff);
  CHECK(from_f32(0x7fc00000) == Answer{0xff, {}});
}

TEST_CASE("e8m0 neighbours and order") {
  CHECK(next_up(e8m0, 0) == 1);
  CHECK(next_up(e8m0, 0xfe) == 0xfe);
  CHECK(next_down(e8m0, 0) == 0);
  CHECK(next_down(e8m0, 5) == 4);
  CHECK(relation(e8m0, 0, 0xfe) == Relation::less);
  CHECK(relation(e8m0, 0xff, 1) == Relation::unordered);
}

#if defined(WHYBITS_NUMBER_HEADERS)

TEST_CASE(
    "f32 converts to e8m0 as NVIDIA's header does, truncating and upward, saturating or not") {
  for_all(200'000, [](Random& random) {
    const Bits code = structured_code(random, formats::f32);
    // The header rounds magnitudes, and so does a format without sign.
    for (const auto& [rounding, mode] :
         {std::pair{Rounding::zero, cudaRoundZero}, {Rounding::up, cudaRoundPosInf}})
      for (const auto& [overflow, saturation] :
           {std::pair{Overflow::ieee, __NV_NOSAT}, {Overflow::saturate, __NV_SATFINITE}}) {
        const Bits got =
            convert(formats::f32, e8m0, code, {.rounding = rounding, .overflow = overflow});
        const Bits want = __nv_cvt_float_to_e8m0(
            std::bit_cast<float>(static_cast<std::uint32_t>(code)), saturation, mode);
        if (got == want) continue;
        CAPTURE(code, rounding_name(rounding), overflow == Overflow::saturate, got, want);
        FAIL("bits differ");
      }
  });
}

#endif
