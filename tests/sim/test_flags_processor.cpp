// Bits and flags of structured cases against the processor in its four modes. Compiled with
// -frounding-math. It finds tininess after rounding (x86) or before it (ARM): asked first.
#include <cfenv>

#include "tests/support/flag_cases.hpp"
#include "tests/support/processor.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

struct Mode {
  Rounding rounding;
  int environment;
};
constexpr Mode modes[] = {{Rounding::nearest_even, FE_TONEAREST},
                          {Rounding::zero, FE_TOWARDZERO},
                          {Rounding::up, FE_UPWARD},
                          {Rounding::down, FE_DOWNWARD}};

/// One mode for many operations; the environment before it comes back.
class RoundingMode {
 public:
  explicit RoundingMode(int environment) {
    std::fegetenv(&before_);
    std::fesetround(environment);
  }
  ~RoundingMode() { std::fesetenv(&before_); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  std::fenv_t before_{};
};

Flags raised() {
  const int bits = std::fetestexcept(FE_ALL_EXCEPT);
  return {.invalid = (bits & FE_INVALID) != 0,
          .divide_by_zero = (bits & FE_DIVBYZERO) != 0,
          .overflow = (bits & FE_OVERFLOW) != 0,
          .underflow = (bits & FE_UNDERFLOW) != 0,
          .inexact = (bits & FE_INEXACT) != 0};
}

template <class To, class From>
WHYBITS_OPAQUE To change(From value) {
  return static_cast<To>(value);
}

template <class Float>
Answer expected(Operation operation, const Format& format, const Operands& x) {
  std::feclearexcept(FE_ALL_EXCEPT);
  const Float result =
      on_processor(operation, from_bits<Float>(x.a), from_bits<Float>(x.b), from_bits<Float>(x.c));
  Answer answer{to_bits(result), raised()};
  // IEEE 754 §7.2 leaves it open whether 0·∞ + a quiet NaN is invalid. Here it is.
  const Unpacked a = unpack(format, x.a), b = unpack(format, x.b);
  if (operation == Operation::fma && ((a.cls == FpClass::zero && b.cls == FpClass::infinity) ||
                                      (a.cls == FpClass::infinity && b.cls == FpClass::zero)))
    answer.flags.invalid = true;
  return answer;
}

template <class To, class From>
Answer expected_conversion(Bits code) {
  std::feclearexcept(FE_ALL_EXCEPT);
  const To result = change<To>(from_bits<From>(code));
  return {to_bits(result), raised()};
}

/// 2^−126 less half a unit in the last place of a number just below: rounded to 24 bits it is
/// 2^−126, not tiny.
Tininess processors_tininess() {
  return expected_conversion<float, double>(0x380ffffff0000000).flags.underflow ? Tininess::before
                                                                                : Tininess::after;
}

template <class Float>
Tally compare_operations(const Format& format, long cases) {
  Tally tally;
  const Tininess tininess = processors_tininess();
  for (const Operation operation : all_operations) {
    CaseWalk walk(format, operation == Operation::fma, run_seed());
    for (const auto& [rounding, environment] : modes) {
      const RoundRule rule{.rounding = rounding, .tininess = tininess};
      const RoundingMode mode(environment);
      for (long i = 0; i < cases / 4; ++i) {
        const Operands x = walk.next();
        const Answer want = expected<Float>(operation, format, x);
        tally.add(operation_name(operation), x, rule, answer(operation, format, x, rule), want);
      }
    }
  }
  return tally;
}

template <class To, class From>
Tally compare_conversion(const Format& from, const Format& to, long cases) {
  Tally tally;
  const Tininess tininess = processors_tininess();
  CaseWalk walk(from, false, run_seed());
  for (const auto& [rounding, environment] : modes) {
    const RoundRule rule{.rounding = rounding, .tininess = tininess};
    const RoundingMode mode(environment);
    for (long i = 0; i < cases / 4; ++i) {
      const Operands x = walk.next();
      const Answer want = expected_conversion<To, From>(x.a);
      tally.add("convert", x, rule, converted(from, to, x.a, rule), want);
    }
  }
  return tally;
}

void compare_all(long cases) {
  require_none(compare_operations<float>(formats::f32, cases));
  require_none(compare_operations<double>(formats::f64, cases));
  require_none(compare_conversion<float, double>(formats::f64, formats::f32, cases));
  require_none(compare_conversion<double, float>(formats::f32, formats::f64, cases));
}

}  // namespace

TEST_CASE("f32 and f64 in the processor's four modes give its bits and flags") {
  compare_all(40'000);
}

TEST_CASE(
    "ten million structured f32 and f64 cases an operation give the processor's bits and flags",
    "[.full]") {
  compare_all(10'000'000);
}

TEST_CASE("the comparison of flags left the processor's own mode alone") {
  CHECK(std::fegetround() == FE_TONEAREST);
}
