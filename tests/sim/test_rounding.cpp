// The edges of rounding, each by its name. Expected codes are worked out by hand beside them.
#include "tests/support/catch.hpp"
#include "tests/support/operands.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

constexpr RoundRule with(Rounding rounding) {
  return {.rounding = rounding};
}

constexpr Bits f16_one = 0x3c00;
constexpr Bits f16_2048 = 0x6800;  // 2^11: last place 2
constexpr Bits f16_max = 0x7bff;   // 65504: last place 32
constexpr Bits f16_infinity = 0x7c00;

}  // namespace

TEST_CASE("2048 + 1 in f16 is a tie that goes to 2048") {
  RoundTrace trace;
  CHECK(add(formats::f16, f16_2048, f16_one, {}, &trace) == f16_2048);
  CHECK(trace.kept == 1024);
  CHECK(trace.ulp_exponent == 1);
  CHECK(trace.guard);
  CHECK_FALSE(trace.round);
  CHECK_FALSE(trace.sticky);
  CHECK_FALSE(trace.incremented);
  CHECK(trace.flags.inexact);
}

TEST_CASE("2048 + 1 in f16 in the other roundings") {
  CHECK(add(formats::f16, f16_2048, f16_one, with(Rounding::nearest_away)) == 0x6801);
  CHECK(add(formats::f16, f16_2048, f16_one, with(Rounding::zero)) == 0x6800);
  CHECK(add(formats::f16, f16_2048, f16_one, with(Rounding::up)) == 0x6801);
  CHECK(add(formats::f16, f16_2048, f16_one, with(Rounding::down)) == 0x6800);
  CHECK(add(formats::f16, f16_2048, f16_one, with(Rounding::odd)) == 0x6801);
}

TEST_CASE("2050 + 1 in f16 is a tie that goes up to the even 2052") {
  CHECK(add(formats::f16, 0x6801, f16_one) == 0x6802);
}

TEST_CASE("2048 + 1.0009765625 in f16 is just above the tie and goes up") {
  RoundTrace trace;
  CHECK(add(formats::f16, f16_2048, 0x3c01, {}, &trace) == 0x6801);
  CHECK(trace.guard);
  CHECK_FALSE(trace.round);
  CHECK(trace.sticky);
  CHECK(trace.incremented);
}

TEST_CASE("negative ties go to even too, and directed roundings look at the sign") {
  CHECK(add(formats::f16, 0xe800, 0xbc00) == 0xe800);
  CHECK(add(formats::f16, 0xe800, 0xbc00, with(Rounding::nearest_away)) == 0xe801);
  CHECK(add(formats::f16, 0xe800, 0xbc00, with(Rounding::up)) == 0xe800);
  CHECK(add(formats::f16, 0xe800, 0xbc00, with(Rounding::down)) == 0xe801);
}

TEST_CASE("a significand of all ones rounds up into the next binade") {
  // 4094 + 1 = 4095, between 4094 (odd) and 4096: a tie that carries through all eleven bits.
  CHECK(add(formats::f16, 0x6bff, f16_one) == 0x6c00);
}

TEST_CASE(
    "overflow at the last rounding: half of f16's last place tips 65504 over, less does not") {
  RoundTrace trace;
  CHECK(add(formats::f16, f16_max, 0x4c00, {}, &trace) == f16_infinity);  // + 16: tie, 65504 is odd
  CHECK(trace.flags.overflow);
  CHECK(trace.flags.inexact);
  CHECK(add(formats::f16, f16_max, 0x4bff, {}, &trace) == f16_max);  // + 15.99
  CHECK_FALSE(trace.flags.overflow);
}

TEST_CASE("overflow that points inward stops at the largest finite number") {
  CHECK(add(formats::f16, f16_max, f16_max, with(Rounding::zero)) == f16_max);
  CHECK(add(formats::f16, f16_max, f16_max, with(Rounding::down)) == f16_max);
  CHECK(add(formats::f16, f16_max, f16_max, with(Rounding::odd)) == f16_max);
  CHECK(add(formats::f16, f16_max, f16_max, with(Rounding::up)) == f16_infinity);
  CHECK(add(formats::f16, 0xfbff, 0xfbff, with(Rounding::up)) == 0xfbff);
  CHECK(add(formats::f16, 0xfbff, 0xfbff, with(Rounding::down)) == 0xfc00);
}

TEST_CASE("a matrix unit's truncation overflows to infinity, but only from 2^128 on") {
  const RoundRule unit{.rounding = Rounding::zero, .overflow = Overflow::infinity};
  const Unrounded two_to_128{false, false, 128, 1};
  const Unrounded just_below{false, false, 128 - 40, (Uint128{1} << 40) - 1};
  CHECK(round_pack(formats::f32, two_to_128, unit) == 0x7f800000);
  CHECK(round_pack(formats::f32, just_below, unit) == 0x7f7fffff);
  CHECK(round_pack(formats::f32, two_to_128, with(Rounding::zero)) == 0x7f7fffff);
  CHECK(round_pack(formats::f32, {true, false, 128, 1}, unit) == 0xff800000);
}

TEST_CASE("saturation stops overflow and infinities at the largest finite number, NaN passes") {
  const RoundRule saturate{.overflow = Overflow::saturate};
  CHECK(convert(formats::f32, formats::e4m3, 0x44000000, saturate) == 0x7e);  // 512
  CHECK(convert(formats::f32, formats::e4m3, 0xff800000, saturate) == 0xfe);  // -infinity
  CHECK(convert(formats::f32, formats::e4m3, 0x7fc00000, saturate) == 0x7f);
  CHECK(convert(formats::f32, formats::e5m2, 0x7f800000, saturate) == 0x7b);
  CHECK(convert(formats::f32, formats::e5m2, 0xffc00000, saturate) == 0x7f);
}

TEST_CASE("e4m3 has no infinity: overflow is NaN, from the tie at 464 upward not included") {
  CHECK(convert(formats::f32, formats::e4m3, 0x43e80000) == 0x7e);  // 464: tie, 448 is even
  CHECK(convert(formats::f32, formats::e4m3, 0x43e80001) == 0x7f);
  CHECK(convert(formats::f32, formats::e4m3, 0xc3e80001) == 0xff);
  CHECK(convert(formats::f32, formats::e4m3, 0x7f800000) == 0x7f);
  CHECK(convert(formats::f32, formats::e4m3, 0x43e80001, with(Rounding::zero)) == 0x7e);
}

TEST_CASE("formats without NaN and infinity clamp, and turn NaN into their largest number") {
  CHECK(convert(formats::f32, formats::e2m1, 0x7f800000) == 0x7);
  CHECK(convert(formats::f32, formats::e2m1, 0xff800000) == 0xf);
  CHECK(convert(formats::f32, formats::e2m1, 0xffc00000) == 0x7);
  CHECK(convert(formats::f32, formats::e2m1, 0x40a33333) == 0x7);  // 5.1: 6
  CHECK(convert(formats::f32, formats::e2m1, 0x40a00000) == 0x6);  // 5: tie, 4 is even
}

TEST_CASE("subnormal results round at the quantum, not at 24 bits") {
  // 2^-149 · ½ is a tie between 0 and 2^-149; a little more goes up.
  CHECK(mul(formats::f32, 0x00000001, 0x3f000000) == 0);
  CHECK(mul(formats::f32, 0x00000001, 0x3f000001) == 1);
  CHECK(mul(formats::f32, 0x00000003, 0x3f000000) == 2);  // 1.5: tie to even
  CHECK(mul(formats::f32, 0x80000001, 0x3f000000) == 0x80000000);
  CHECK(mul(formats::f32, 0x00000001, 0x3f000000, with(Rounding::up)) == 1);
  CHECK(mul(formats::f32, 0x00000001, 0x00000001, with(Rounding::up)) == 1);
  CHECK(mul(formats::f32, 0x00000001, 0x00000001, with(Rounding::odd)) == 1);
}

TEST_CASE("the trace is exact however far below the last place a value lies") {
  const Uint128 top_bit = Uint128{1} << 127;
  RoundTrace trace;
  CHECK(round_pack(formats::f32, {false, false, -150 - 127, top_bit}, {}, &trace) == 0);
  CHECK(trace.guard);  // half of 2^-149: a tie, to even
  CHECK(round_pack(formats::f32, {false, false, -151 - 127, top_bit}, {}, &trace) == 0);
  CHECK((!trace.guard && trace.round && !trace.sticky));
  CHECK(round_pack(formats::f32, {false, false, -5000, 1}, with(Rounding::up), &trace) == 1);
  CHECK((!trace.guard && !trace.round && trace.sticky && trace.flags.inexact));
}

TEST_CASE("the largest subnormal rounds up into the smallest normal") {
  RoundTrace trace;
  // A tie: 0x007fffff·2^-149 + ½·2^-149, as a conversion from f64.
  CHECK(convert(formats::f64, formats::f32, 0x380fffffe0000000, {}, &trace) == 0x00800000);
  CHECK(trace.flags.underflow);  // tiny before rounding
}

TEST_CASE("flushing: operands and results, each to a zero of its sign") {
  const Bits tiny = 0x80000001, one = 0x3f800000, small = 0x00800000, half = 0x3f000000;
  RoundTrace trace;
  CHECK(mul(formats::f32, tiny, one, {.flush = Flush::none}) == tiny);
  CHECK(mul(formats::f32, tiny, one, {.flush = Flush::in}) == 0x80000000);
  CHECK(mul(formats::f32, small, half, {.flush = Flush::in}) == 0x00400000);
  CHECK(mul(formats::f32, small, half, {.flush = Flush::out}, &trace) == 0);
  CHECK(trace.flushed);
  CHECK(trace.flags.inexact);
  CHECK(mul(formats::f32, small, 0xbf000000, {.flush = Flush::both}) == 0x80000000);
  CHECK(add(formats::f32, tiny, tiny, {.flush = Flush::in}) == 0x80000000);
  CHECK(div(formats::f32, one, 0x00000001, {.flush = Flush::in}) == 0x7f800000);
  CHECK(sqrt(formats::f32, tiny, {.flush = Flush::in}) == 0x80000000);
}

TEST_CASE("a second rounding of a nearest result can be wrong, of an odd one never") {
  // 1 + 2^-11 + 2^-30: above the tie in f16; f32 drops the 2^-30 and leaves the tie.
  const Bits x = 0x3ff0000000000000 + (Bits{1} << 41) + (Bits{1} << 22);
  const Bits by_nearest = convert(formats::f64, formats::f32, x);
  const Bits by_odd = convert(formats::f64, formats::f32, x, with(Rounding::odd));
  CHECK(convert(formats::f64, formats::f16, x) == 0x3c01);
  CHECK(convert(formats::f32, formats::f16, by_nearest) == 0x3c00);
  CHECK(convert(formats::f32, formats::f16, by_odd) == 0x3c01);
}

TEST_CASE("fused multiply-add rounds once where multiply then add rounds twice") {
  // (1 + 2^-12)² − (1 + 2^-11) = 2^-24: exact when fused; the rounded product loses it.
  const Bits x = 0x3f800800, minus = 0xbf801000;
  CHECK(fma(formats::f32, x, x, minus) == 0x33800000);
  CHECK(add(formats::f32, mul(formats::f32, x, x), minus) == 0);
}

TEST_CASE("a wide product and a far addend of opposite sign leave a correct sticky bit in f64") {
  // 1 − 2^-200: just below 1. Nearest gives 1, toward zero the number before it.
  const Bits one = 0x3ff0000000000000, tiny = Bits{1023 - 200} << 52, sign = Bits{1} << 63;
  CHECK(fma(formats::f64, one, one, tiny | sign) == one);
  CHECK(fma(formats::f64, one, one, tiny | sign, with(Rounding::zero)) == one - 1);
  CHECK(fma(formats::f64, one, one, tiny, with(Rounding::up)) == one + 1);
}

TEST_CASE("a zero with a large exponent adds nothing, also not a sticky bit") {
  const Bits huge = 0x7fe0000000000000;
  CHECK(fma(formats::f64, huge, 0, 0) == 0);
  CHECK(fma(formats::f64, huge, 0, 1, with(Rounding::up)) == 1);
}

TEST_CASE("zeros: x − x is +0, or −0 rounding down, equal signs keep theirs") {
  const Bits one = 0x3c00, minus_zero = 0x8000;
  CHECK(sub(formats::f16, one, one) == 0);
  CHECK(sub(formats::f16, one, one, with(Rounding::down)) == minus_zero);
  CHECK(add(formats::f16, minus_zero, minus_zero) == minus_zero);
  CHECK(add(formats::f16, 0, 0, with(Rounding::down)) == 0);
  CHECK(add(formats::f16, 0, minus_zero) == 0);
  CHECK(add(formats::f16, 0, minus_zero, with(Rounding::down)) == minus_zero);
  CHECK(fma(formats::f16, minus_zero, one, minus_zero) == minus_zero);
  CHECK(sqrt(formats::f16, minus_zero) == minus_zero);
  CHECK(div(formats::f16, minus_zero, one) == minus_zero);
}

TEST_CASE("NaN: every invalid operation returns it, in the form that the rule names") {
  const RoundRule gpu{.nan = NanRule::gpu}, ieee{.nan = NanRule::ieee};
  const Bits inf = 0x7f800000, minus_inf = 0xff800000, one = 0x3f800000, minus_one = 0xbf800000;
  for (const auto& [rule, want] : {std::pair{gpu, Bits{0x7fffffff}}, {ieee, Bits{0x7fc00000}}}) {
    CHECK(add(formats::f32, inf, minus_inf, rule) == want);
    CHECK(sub(formats::f32, inf, inf, rule) == want);
    CHECK(mul(formats::f32, inf, 0, rule) == want);
    CHECK(fma(formats::f32, 0, inf, one, rule) == want);
    CHECK(fma(formats::f32, inf, one, minus_inf, rule) == want);
    CHECK(div(formats::f32, 0, 0, rule) == want);
    CHECK(div(formats::f32, inf, minus_inf, rule) == want);
    CHECK(sqrt(formats::f32, minus_one, rule) == want);
    CHECK(add(formats::f32, 0xffc12345, one, rule) == want);  // payload and sign are lost
    CHECK(convert(formats::f16, formats::f32, 0x7c01, rule) == want);
  }
  CHECK(nan_code(formats::e4m3, NanRule::ieee) == 0x7f);
  CHECK(nan_code(formats::f64, NanRule::gpu) == 0x7fffffffffffffff);
}

TEST_CASE("infinities: x / 0, and what meets them, keep the sign that IEEE gives") {
  const Bits inf = 0x7c00, minus_inf = 0xfc00, one = 0x3c00, minus_zero = 0x8000;
  CHECK(div(formats::f16, one, 0) == inf);
  CHECK(div(formats::f16, one, minus_zero) == minus_inf);
  CHECK(div(formats::f16, one, minus_inf) == minus_zero);
  CHECK(add(formats::f16, inf, one, with(Rounding::zero)) == inf);  // no overflow, so no inward
  CHECK(mul(formats::f16, minus_inf, one) == minus_inf);
  CHECK(fma(formats::f16, one, one, minus_inf) == minus_inf);
  CHECK(sqrt(formats::f16, inf) == inf);
}

TEST_CASE("rounding names and suffixes are read back") {
  for (const Rounding rounding : all_roundings) {
    CHECK(parse_rounding(rounding_name(rounding)) == rounding);
    const std::string_view suffix = rounding_suffix(rounding);
    if (!suffix.empty()) CHECK(parse_rounding(suffix.substr(1)) == rounding);
  }
  CHECK(parse_rounding("rne") == Rounding::nearest_even);
  for (const char* name : {"", "nearest", ".rz", "RZ", "stochastic"})
    CHECK_FALSE(parse_rounding(name));
}

TEST_CASE("the trace of a sum or product accounts for every bit of it") {
  // kept, guard, round and sticky say where the exact value lies: compare with MPFR's exact one.
  for_all(100'000, [](Random& random) {
    const Format format = random.pick(formats_to_test());
    const auto [a, b, c] = structured_operands(random, format);
    const Operation operation = random.coin() ? Operation::add : Operation::mul;
    RoundTrace trace;
    apply(operation, format, a, b, c, {}, &trace);

    Real x(5000), y(5000), scaled(5000);
    decode(format, a, x);
    decode(format, b, y);
    if (operation == Operation::add) mpfr_add(scaled.get(), x.get(), y.get(), MPFR_RNDZ);
    if (operation == Operation::mul) mpfr_mul(scaled.get(), x.get(), y.get(), MPFR_RNDZ);
    if (mpfr_number_p(scaled.get()) == 0 || mpfr_zero_p(scaled.get()) != 0) return;
    mpfr_abs(scaled.get(), scaled.get(), MPFR_RNDN);
    mpfr_mul_2si(scaled.get(), scaled.get(), -trace.ulp_exponent + 2, MPFR_RNDN);
    Real floor(5000);
    const bool sticky = mpfr_floor(floor.get(), scaled.get()) != 0;
    const Uint128 quarters = (trace.kept << 2) + (trace.guard ? 2 : 0) + (trace.round ? 1 : 0);
    CAPTURE(format_name(format), operation_name(operation), a, b);
    const bool same = mpfr_get_uj(floor.get(), MPFR_RNDN) == static_cast<std::uint64_t>(quarters) &&
                      sticky == trace.sticky;
    if (!same) FAIL("the trace does not add up to the exact value");
  });
}
