// The special-function unit beside what PTX promises of it (PTX ISA 9.0, §9.7.3) and beside MPFR.
// That it gives an H200's bits is tested with that GPU's digests (tests/lab).
#include <mpfr.h>

#include "sim/special/catalog.hpp"
#include "sim/special/device_float.hpp"
#include "sim/special/instructions.hpp"
#include "sim/special/unit.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/mpfr_oracle.hpp"

using namespace whybits;
using namespace whybits::special;

namespace {

constexpr std::uint32_t not_a_number = 0x7fffffff, inf = 0x7f800000, minus_inf = 0xff800000,
                        minus_zero = 0x80000000, one = 0x3f800000, tiny = 0x00000001,
                        minus_tiny = 0x80000001, minus_one = 0xbf800000;

using Instruction = std::uint32_t (*)(std::uint32_t, Ftz, unit::Trace*);

/// f(x) rounded correctly to f32; arguments and results are normal.
std::uint32_t correct(int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t), std::uint32_t x) {
  test::Real argument(24), result(24);
  mpfr_set_flt(argument.get(), value(x), MPFR_RNDN);
  f(result.get(), argument.get(), MPFR_RNDN);
  return word(mpfr_get_flt(result.get(), MPFR_RNDN));
}

int reciprocal_of(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding) {
  return mpfr_ui_div(out, 1, x, rounding);
}

}  // namespace

TEST_CASE("special operands of the unit give what PTX's tables say") {
  struct Row {
    Instruction f;
    std::uint32_t x, y;
  };
  for (const Row& row : {
           Row{rcp, minus_inf, minus_zero},
           {rcp, minus_tiny, minus_inf},
           {rcp, tiny, inf},
           {rcp, minus_zero, minus_inf},
           {rcp, 0, inf},
           {rcp, inf, 0},
           {rsqrt, minus_inf, not_a_number},
           {rsqrt, minus_one, not_a_number},
           {rsqrt, tiny, inf},
           {rsqrt, minus_tiny, minus_inf},
           {rsqrt, 0, inf},
           {rsqrt, inf, 0},
           {rsqrt, minus_zero, minus_inf},
           {sqrt, minus_inf, not_a_number},
           {sqrt, minus_one, not_a_number},
           {sqrt, minus_tiny, minus_zero},
           {sqrt, tiny, 0},
           {sqrt, inf, inf},
           {sqrt, minus_zero, minus_zero},
           {sqrt, 0, 0},
           {lg2, minus_inf, not_a_number},
           {lg2, minus_one, not_a_number},
           {lg2, minus_tiny, minus_inf},
           {lg2, tiny, minus_inf},
           {lg2, minus_zero, minus_inf},
           {lg2, 0, minus_inf},
           {lg2, inf, inf},
           {ex2, minus_inf, 0},
           {ex2, minus_tiny, one},
           {ex2, tiny, one},
           {ex2, minus_zero, one},
           {ex2, 0, one},
           {ex2, inf, inf},
           {sin, minus_inf, not_a_number},
           {sin, minus_tiny, minus_zero},
           {sin, tiny, 0},
           {sin, minus_zero, minus_zero},
           {sin, 0, 0},
           {sin, inf, not_a_number},
           {cos, minus_inf, not_a_number},
           {cos, minus_tiny, one},
           {cos, tiny, one},
           {cos, minus_zero, one},
           {cos, 0, one},
           {cos, inf, not_a_number},
       }) {
    INFO(std::hex << row.x);
    CHECK(row.f(row.x, Ftz::yes, nullptr) == row.y);
  }
  for (const Instruction f : {rcp, rsqrt, sqrt, lg2, ex2, sin, cos})
    for (const Ftz ftz : {Ftz::no, Ftz::yes})
      for (const std::uint32_t x : {0x7f800001U, 0x7fc00000U, 0x7fffffffU, 0xffc12345U})
        CHECK(f(x, ftz, nullptr) == not_a_number);
}

TEST_CASE("without .ftz subnormals are numbers, in and out") {
  CHECK(rcp(0x00400000, Ftz::no) == 0x7f000000);  // 1/2^-127 = 2^127
  CHECK(rcp(0x7f000000, Ftz::no) == 0x00400000);  // and back
  CHECK(rcp(0x7f000000, Ftz::yes) == 0);
  CHECK(rsqrt(0x00000200, Ftz::no) == 0x62800000);  // 1/√2^-140 = 2^70
  CHECK(sqrt(0x00000200, Ftz::no) == 0x1c800000);   // √2^-140 = 2^-70
  CHECK(lg2(0x00000200, Ftz::no) == 0xc30c0000);    // −140
  CHECK(ex2(0xc30c0000, Ftz::no) == 0x00000200);    // 2^-140
  CHECK(ex2(0xc30c0000, Ftz::yes) == 0);
  CHECK(ex2(0xc3160000, Ftz::no) == 0);    // 2^-150, a tie with zero
  CHECK(ex2(0x43000000, Ftz::no) == inf);  // 2^128
  CHECK(ex2(0x42ffffff, Ftz::no) < inf);
}

TEST_CASE("a correctly rounded function differs from the unit on the measured share of arguments") {
  struct Row {
    Instruction f;
    int (*truth)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
    std::uint32_t first, count;  ///< every 509th of so many, from the second on
  };
  // Shares of all arguments: 21.7, 13.2, 38.9, 60.1 and 80.4 % (docs/special-functions.md).
  const auto on = [](const Row& row) {
    unsigned differ = 0;
    for (std::uint32_t i = 1; i < row.count; i += 509) {
      std::uint32_t x = row.first + i;
      if (row.f == static_cast<Instruction>(ex2))  // evenly spaced, as its fixed point is
        x = word(static_cast<float>(i) * 0x1p-23F) | (row.first & minus_zero);
      differ += row.f(x, Ftz::yes, nullptr) == correct(row.truth, x) ? 0U : 1U;
    }
    return differ;
  };
  constexpr std::uint32_t m = 1U << 23;
  CHECK(on({rsqrt, mpfr_rec_sqrt, one, 2 * m}) == 7218);
  CHECK(on({rcp, reciprocal_of, one, m}) == 2242);
  CHECK(on({ex2, mpfr_exp2, 0, m}) == 6375);
  CHECK(on({ex2, mpfr_exp2, minus_zero, m}) == 9844);
  CHECK(on({lg2, mpfr_log2, 0x3f000000, 2 * m}) == 26534);
  CHECK(on({sqrt, mpfr_sqrt, one, 2 * m}) == 5467);
}

TEST_CASE("the squarer's sum is that of its bit products of weight 2^18 and more") {
  for (std::uint32_t r = 0; r < (1U << 17); ++r) {
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < 17; ++i)
      if ((r >> i & 1U) != 0) sum += r >> (18 - i);
    if (square(r) != sum / 2) FAIL(r);
  }
  CHECK(square((1U << 17) - 1) == 32759);
}

TEST_CASE("a trace holds the segment and the sum behind a result") {
  unit::Trace trace;
  const std::uint32_t y = unit::rcp(0x3fc00000, &trace);  // 1/1.5
  CHECK(trace.argument == 0x400000);
  CHECK(segment_of(trace.path, trace.argument) == 64);
  CHECK((trace.sum >> trace.path.drop) == std::int64_t{(y & 0x7fffffU) | 0x800000U});
  unit::Trace none;
  unit::rcp(0, &none);
  CHECK(none.path.segments.empty());
}

TEST_CASE("device arithmetic cuts and rounds down as MPFR does") {
  test::Real x, y, z(24), exact(300);
  std::uint64_t h = 1;
  for (int i = 0; i < 20000; ++i) {
    h = h * 6364136223846793005U + 1442695040888963407U;
    const float a = value(0x3e000000U + static_cast<std::uint32_t>(h >> 32) % 0x03000000U);
    const float b = -value(0x3e000000U + static_cast<std::uint32_t>(h >> 11) % 0x03000000U);
    const float c = value(static_cast<std::uint32_t>(h >> 33) % 0x08000000U + 0x3c000000U);
    mpfr_set_flt(x.get(), a, MPFR_RNDN);
    mpfr_mul_d(exact.get(), x.get(), double{b}, MPFR_RNDN);
    mpfr_set(z.get(), exact.get(), MPFR_RNDZ);
    CHECK(value(mul_toward_zero(word(a), word(b), Ftz::no)) == mpfr_get_flt(z.get(), MPFR_RNDN));
    mpfr_add_d(exact.get(), exact.get(), double{c}, MPFR_RNDN);
    mpfr_set(z.get(), exact.get(), MPFR_RNDD);
    CHECK(value(fma_down(word(a), word(b), word(c), Ftz::no)) == mpfr_get_flt(z.get(), MPFR_RNDN));
  }
}

TEST_CASE("every function is found by its name") {
  for (const Function& f : functions()) CHECK(find_function(f.name) == &f);
  CHECK(find_function("tan") == nullptr);
  CHECK(full_name(*find_function("ex2"), Mode::flush) == "ex2.approx.ftz.f32");
  CHECK(full_name(*find_function("expf"), Mode::fast) == "expf with -use_fast_math");
}
