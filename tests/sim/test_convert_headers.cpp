// Conversions against NVIDIA's own number headers, which compute in plain C++ on the host. The
// headers keep some NaN payloads that the instructions do not; ours are the instructions' (PTX ISA,
// cvt), so NaN results are compared as NaN.
#if defined(WHYBITS_NUMBER_HEADERS)

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include <bit>

#include "tests/support/catch.hpp"
#include "tests/support/operands.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

bool is_nan_code(const Format& format, Bits code) {
  return unpack(format, code).cls == FpClass::nan;
}

bool same(const Format& format, Bits got, Bits want) {
  return got == want || (is_nan_code(format, got) && is_nan_code(format, want));
}

float f32(Bits code) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(code));
}
double f64(Bits code) {
  return std::bit_cast<double>(code);
}
Bits word(__half value) {
  return __half_raw(value).x;
}
Bits word(__nv_bfloat16 value) {
  return __nv_bfloat16_raw(value).x;
}

/// Compares `ours` with `theirs` on structured codes of `from`.
template <class Theirs>
void same_as_header(const Format& from, const Format& to, const RoundRule& rule, Theirs theirs) {
  for_all(100'000, [&](Random& random) {
    const Bits code = structured_code(random, from);
    const Bits got = convert(from, to, code, rule), want = theirs(code);
    if (same(to, got, want)) return;
    CAPTURE(format_name(from), format_name(to), rounding_name(rule.rounding), code, got, want);
    FAIL("bits differ");
  });
}

constexpr RoundRule with(Rounding rounding) {
  return {.rounding = rounding};
}
constexpr RoundRule saturating{.overflow = Overflow::saturate};

}  // namespace

TEST_CASE("f32 to f16 is cuda_fp16.h's, in its four roundings") {
  using enum Rounding;
  const Format &from = formats::f32, &to = formats::f16;
  same_as_header(from, to, {}, [](Bits x) { return word(__float2half_rn(f32(x))); });
  same_as_header(from, to, with(zero), [](Bits x) { return word(__float2half_rz(f32(x))); });
  same_as_header(from, to, with(up), [](Bits x) { return word(__float2half_ru(f32(x))); });
  same_as_header(from, to, with(down), [](Bits x) { return word(__float2half_rd(f32(x))); });
}

TEST_CASE("f64 to f16 and bf16 is the headers', rounded once") {
  same_as_header(formats::f64, formats::f16, {},
                 [](Bits x) { return word(__double2half(f64(x))); });
  same_as_header(formats::f64, formats::bf16, {},
                 [](Bits x) { return word(__double2bfloat16(f64(x))); });
}

TEST_CASE("f32 to bf16 is cuda_bf16.h's, in its four roundings") {
  using enum Rounding;
  const Format &from = formats::f32, &to = formats::bf16;
  same_as_header(from, to, {}, [](Bits x) { return word(__float2bfloat16_rn(f32(x))); });
  same_as_header(from, to, with(zero), [](Bits x) { return word(__float2bfloat16_rz(f32(x))); });
  same_as_header(from, to, with(up), [](Bits x) { return word(__float2bfloat16_ru(f32(x))); });
  same_as_header(from, to, with(down), [](Bits x) { return word(__float2bfloat16_rd(f32(x))); });
}

TEST_CASE("all 65,536 f16 and bf16 codes widen to f32 as in the headers") {
  int differ = 0;
  for (unsigned code = 0; code < 65'536; ++code) {
    const auto wide_half = __half2float(__half_raw{static_cast<unsigned short>(code)});
    const auto wide_brain = __bfloat162float(__nv_bfloat16_raw{static_cast<unsigned short>(code)});
    const Bits from_half = convert(formats::f16, formats::f32, code);
    const Bits from_brain = convert(formats::bf16, formats::f32, code);
    if (!same(formats::f32, from_half, std::bit_cast<std::uint32_t>(wide_half))) ++differ;
    if (!same(formats::f32, from_brain, std::bit_cast<std::uint32_t>(wide_brain))) ++differ;
  }
  CHECK(differ == 0);
}

TEST_CASE("f32 and f64 to e4m3 and e5m2 are cuda_fp8.h's, saturating and not") {
  for (const auto& [kind, to] :
       {std::pair{__NV_E4M3, formats::e4m3}, std::pair{__NV_E5M2, formats::e5m2}})
    for (const auto& [saturation, rule] :
         {std::pair{__NV_SATFINITE, saturating}, std::pair{__NV_NOSAT, RoundRule{}}}) {
      const auto k = kind;
      const auto s = saturation;
      same_as_header(formats::f32, to, rule,
                     [=](Bits x) { return Bits{__nv_cvt_float_to_fp8(f32(x), s, k)}; });
      same_as_header(formats::f64, to, rule,
                     [=](Bits x) { return Bits{__nv_cvt_double_to_fp8(f64(x), s, k)}; });
    }
}

TEST_CASE("all 65,536 f16 codes narrow to e4m3 and e5m2 as in cuda_fp8.h") {
  int differ = 0;
  for (unsigned code = 0; code < 65'536; ++code) {
    const __half_raw raw{static_cast<unsigned short>(code)};
    for (const auto& [kind, to] :
         {std::pair{__NV_E4M3, formats::e4m3}, std::pair{__NV_E5M2, formats::e5m2}}) {
      const Bits want = __nv_cvt_halfraw_to_fp8(raw, __NV_SATFINITE, kind);
      if (!same(to, convert(formats::f16, to, code, saturating), want)) ++differ;
    }
  }
  CHECK(differ == 0);
}

TEST_CASE("f64 to e2m3, e3m2 and e2m1 is the headers'") {
  same_as_header(formats::f64, formats::e2m3, {}, [](Bits x) {
    return Bits{__nv_cvt_double_to_fp6(f64(x), __NV_E2M3, cudaRoundNearest)};
  });
  same_as_header(formats::f64, formats::e3m2, {}, [](Bits x) {
    return Bits{__nv_cvt_double_to_fp6(f64(x), __NV_E3M2, cudaRoundNearest)};
  });
  same_as_header(formats::f64, formats::e2m1, {}, [](Bits x) {
    return Bits{__nv_cvt_double_to_fp4(f64(x), __NV_E2M1, cudaRoundNearest)};
  });
}

TEST_CASE("every e4m3, e5m2, e2m3, e3m2 and e2m1 code widens to f16 as in the headers") {
  int differ = 0;
  for (unsigned code = 0; code < 256; ++code) {
    const auto c = static_cast<unsigned char>(code);
    const auto check = [&](const Format& from, __half_raw want) {
      if (code >> from.code_bits() != 0) return;
      if (!same(formats::f16, convert(from, formats::f16, code), want.x)) ++differ;
    };
    check(formats::e4m3, __nv_cvt_fp8_to_halfraw(c, __NV_E4M3));
    check(formats::e5m2, __nv_cvt_fp8_to_halfraw(c, __NV_E5M2));
    check(formats::e2m3, __nv_cvt_fp6_to_halfraw(c, __NV_E2M3));
    check(formats::e3m2, __nv_cvt_fp6_to_halfraw(c, __NV_E3M2));
    check(formats::e2m1, __nv_cvt_fp4_to_halfraw(c, __NV_E2M1));
  }
  CHECK(differ == 0);
}

#endif
