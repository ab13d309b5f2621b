// Bits and flags of structured cases against MPFR: exactness, range and tininess are read off its
// numbers.
#include "tests/support/flag_cases.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

constexpr std::array five_roundings = {Rounding::nearest_even, Rounding::nearest_away,
                                       Rounding::zero, Rounding::up, Rounding::down};

RoundRule any_rule(Random& random) {
  return {.rounding = random.pick(five_roundings),
          .tininess = random.coin() ? Tininess::after : Tininess::before};
}

void compare_operation(Tally& tally, Operation operation, const Format& format, long cases) {
  MpfrOracle oracle;
  CaseWalk walk(format, operation == Operation::fma, run_seed());
  Random random(run_seed());
  for (long i = 0; i < cases; ++i) {
    const Operands x = walk.next();
    const RoundRule rule = any_rule(random);
    const Bits code = oracle(operation, format, x.a, x.b, x.c, rule);
    tally.add(operation_name(operation), x, rule, answer(operation, format, x, rule),
              {code, oracle.flags()});
  }
}

void compare_conversion(Tally& tally, const Format& from, const Format& to, long cases) {
  MpfrOracle oracle;
  CaseWalk walk(from, false, run_seed());
  Random random(run_seed());
  for (long i = 0; i < cases; ++i) {
    const Operands x = walk.next();
    const RoundRule rule = any_rule(random);
    const Bits code = oracle.convert(from, to, x.a, rule);
    tally.add("convert", x, rule, converted(from, to, x.a, rule), {code, oracle.flags()});
  }
}

void compare_all(const Format& format, long cases) {
  Tally tally;
  for (const Operation operation : all_operations)
    compare_operation(tally, operation, format, cases);
  for (const Format& to : {formats::f64, formats::f32, formats::f16, formats::bf16})
    compare_conversion(tally, format, to, cases / 4);
  require_none(tally);
}

}  // namespace

TEST_CASE("f16, f32 and f64 in five roundings give MPFR's bits and flags") {
  for (const Format& format : {formats::f16, formats::f32, formats::f64})
    compare_all(format, 8'000);
}

TEST_CASE("narrow and user-made formats give MPFR's bits and flags") {
  for (const Format& format : {formats::bf16, formats::tf32, formats::e5m2, Format{3, 3},
                               Format{2, 2}, Format{8, 1}, Format{11, 1}})
    compare_all(format, 3'000);
}

TEST_CASE("ten million structured f16 cases an operation in five roundings are MPFR's", "[.long]") {
  compare_all(formats::f16, 10'000'000);
}

TEST_CASE("a million structured f32 and f64 cases an operation in five roundings are MPFR's",
          "[.full]") {
  compare_all(formats::f32, 1'000'000);
  compare_all(formats::f64, 1'000'000);
}

TEST_CASE("ten million structured f32 and f64 cases an operation in five roundings are MPFR's",
          "[.long]") {
  compare_all(formats::f32, 10'000'000);
  compare_all(formats::f64, 10'000'000);
}

TEST_CASE("stochastic rounding is MPFR's value cut, plus the random bits, cut") {
  MpfrOracle oracle;
  const std::vector<Format> formats = formats_to_test();
  for_all(100'000, [&](Random& random) {
    const Format from = random.pick(formats), to = random.pick(formats);
    RoundRule rule{.rounding = Rounding::stochastic};
    rule.random.count = static_cast<int>(random.between(1, 32));
    rule.random.value = static_cast<std::uint32_t>(random() >> (64 - rule.random.count));
    const Bits code = structured_code(random, from);
    const Bits got = convert(from, to, code, rule), want = oracle.convert(from, to, code, rule);
    if (got == want) return;
    CAPTURE(format_name(from), format_name(to), code, rule.random.value, rule.random.count, got,
            want);
    FAIL("bits differ");
  });
}
