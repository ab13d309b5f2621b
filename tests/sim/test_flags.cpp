// Each flag by name, and the choices that IEEE 754 leaves. Expected flags worked out by hand.
#include "tests/support/catch.hpp"
#include "tests/support/flag_cases.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

constexpr Bits one = 0x3f800000, inf = 0x7f800000, quiet = 0x7fc00000, signalling = 0x7f800001,
               smallest_normal = 0x00800000, half = 0x3f000000, largest = 0x7f7fffff;
constexpr Flags none{}, invalid{.invalid = true}, inexact{.inexact = true},
    overflow{.overflow = true, .inexact = true}, underflow{.underflow = true, .inexact = true},
    by_zero{.divide_by_zero = true};

Flags raised(Operation operation, Bits a, Bits b = 0, Bits c = 0, const RoundRule& rule = {}) {
  return answer(operation, formats::f32, {a, b, c}, rule).flags;
}

}  // namespace

TEST_CASE("a signalling NaN is invalid in every operation, a quiet one in none") {
  for (const Operation operation : all_operations) {
    CAPTURE(operation_name(operation));
    CHECK(raised(operation, signalling, one, one) == invalid);
    CHECK(raised(operation, quiet, one, one) == none);
    if (operation != Operation::sqrt) CHECK(raised(operation, quiet, signalling, one) == invalid);
  }
  CHECK(raised(Operation::fma, one, one, signalling) == invalid);
  CHECK(converted(formats::f32, formats::f16, signalling, {}).flags == invalid);
  CHECK(converted(formats::f32, formats::f16, quiet, {}).flags == none);
  CHECK(converted(formats::e4m3, formats::f16, 0x7f, {}).flags == none);  // its only NaN is quiet
}

TEST_CASE("operations without an answer are invalid") {
  CHECK(raised(Operation::add, inf, inf | 0x80000000) == invalid);
  CHECK(raised(Operation::sub, inf, inf) == invalid);
  CHECK(raised(Operation::mul, 0, inf) == invalid);
  CHECK(raised(Operation::div, 0, 0) == invalid);
  CHECK(raised(Operation::div, inf, inf) == invalid);
  CHECK(raised(Operation::sqrt, one | 0x80000000) == invalid);
  CHECK(raised(Operation::sqrt, 0x80000000) == none);
  CHECK(raised(Operation::fma, inf, one, inf | 0x80000000) == invalid);
  CHECK(raised(Operation::fma, 0, inf, quiet) == invalid);  // SoftFloat's choice
}

TEST_CASE("exact infinities: from zero a flag, from infinity none") {
  CHECK(raised(Operation::div, one, 0) == by_zero);
  CHECK(raised(Operation::div, inf, 0) == none);
  CHECK(raised(Operation::add, inf, one) == none);
  CHECK(raised(Operation::div, one, 1, 0, {.flush = Flush::in}) == by_zero);
}

TEST_CASE(
    "overflow is inexact, also where the rounding or saturation stops at the largest number") {
  CHECK(raised(Operation::add, largest, largest) == overflow);
  CHECK(raised(Operation::add, largest, largest, 0, {.rounding = Rounding::zero}) == overflow);
  CHECK(raised(Operation::add, largest, largest, 0, {.overflow = Overflow::saturate}) == overflow);
  CHECK(raised(Operation::add, largest, one) == inexact);
}

TEST_CASE("an infinity or NaN that the result cannot hold is invalid") {
  CHECK(converted(formats::f32, formats::e4m3, inf, {}).flags == invalid);
  CHECK(converted(formats::f32, formats::e5m2, inf, {}).flags == none);
  CHECK(converted(formats::f32, formats::e5m2, inf, {.overflow = Overflow::saturate}).flags ==
        invalid);
  CHECK(converted(formats::f32, formats::e2m1, quiet, {}).flags == invalid);
}

TEST_CASE("underflow is tiny and inexact: an exact subnormal raises nothing") {
  CHECK(raised(Operation::mul, smallest_normal, half) == none);
  CHECK(raised(Operation::mul, 1, half) == underflow);
  CHECK(raised(Operation::mul, smallest_normal, half, 0, {.flush = Flush::out}) == underflow);
  CHECK(raised(Operation::mul, 1, one, 0, {.flush = Flush::in}) == none);
}

TEST_CASE("tininess: what rounds up to the smallest normal is tiny before, not after") {
  // 2^−126 · (1 − 2^−25): to 24 bits it is 2^−126. Less 2^−25 more, it is not.
  const Bits rounds_up = 0x380ffffff0000000, stays_below = 0x380fffffe0000000;
  for (const auto& [code, after] : {std::pair{rounds_up, inexact}, {stays_below, underflow}}) {
    const RoundRule rule{.tininess = Tininess::after};
    const Answer answer = converted(formats::f64, formats::f32, code, rule);
    CHECK(answer.code == smallest_normal);
    CHECK(answer.flags == after);
    CHECK(converted(formats::f64, formats::f32, code, {}).flags == underflow);
  }
}

TEST_CASE("the byte of flags is SoftFloat's") {
  CHECK(none.byte() == 0);
  CHECK(inexact.byte() == 1);
  CHECK(underflow.byte() == 3);
  CHECK(overflow.byte() == 5);
  CHECK(by_zero.byte() == 8);
  CHECK(invalid.byte() == 16);
}

TEST_CASE("random bits carry just when they and the dropped bits reach one") {
  // 1 + 2^−10 · 5/8192 in f16: thirteen dropped bits of value 5.
  const Bits code = 0x3f800005;
  const auto rounded = [&](std::uint32_t random, int count) {
    return convert(formats::f32, formats::f16, code,
                   {.rounding = Rounding::stochastic, .random = {random, count}});
  };
  CHECK(rounded(0x1fff, 13) == 0x3c01);
  CHECK(rounded(8187, 13) == 0x3c01);
  CHECK(rounded(8186, 13) == 0x3c00);
  CHECK(rounded(0, 13) == 0x3c00);
  CHECK(rounded(0xff, 8) == 0x3c00);  // eight bits do not reach the last of thirteen
  CHECK(rounded(0, 0) == 0x3c00);
  // An exact number never moves, whatever the bits.
  CHECK(convert(formats::f32, formats::f16, one,
                {.rounding = Rounding::stochastic, .random = {0x1fff, 13}}) == 0x3c00);
}
