// Reference arithmetic against MPFR: every format, every rounding, every rule for overflow and
// flushing. The oracle itself is held against MPFR's own narrow formats first.
#include "tests/support/catch.hpp"
#include "tests/support/operands.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

/// A subnormal code becomes a zero of its sign.
Bits flushed(const Format& format, Bits code) {
  const Bits exponent = (code >> format.fraction_bits) % (Bits{1} << format.exponent_bits);
  const Bits sign = Bits{1} << (format.exponent_bits + format.fraction_bits);
  return exponent == 0 ? code & sign : code;
}

Bits expected(MpfrOracle& oracle, Operation operation, const Format& format, Operands x,
              const RoundRule& rule) {
  if (rule.flush == Flush::in || rule.flush == Flush::both)
    x = {flushed(format, x.a), flushed(format, x.b), flushed(format, x.c)};
  const Bits result = oracle(operation, format, x.a, x.b, x.c, rule);
  const bool flush = rule.flush == Flush::out || rule.flush == Flush::both;
  return flush ? flushed(format, result) : result;
}

RoundRule any_rule(Random& random) {
  RoundRule rule;
  rule.rounding = random.pick(all_roundings);
  rule.overflow = random.pick(all_overflows);
  rule.flush =
      random.pick(std::array{Flush::none, Flush::none, Flush::in, Flush::out, Flush::both});
  return rule;
}

/// MPFR's way to a narrow format: precision, exponent range and mpfr_subnormalize.
Bits by_exponent_range(Operation operation, const Format& format, const Operands& x,
                       mpfr_rnd_t mode) {
  Real a(60), b(60), c(60), result(format.fraction_bits + 1);
  decode(format, x.a, a);
  decode(format, x.b, b);
  decode(format, x.c, c);
  const long bias = (1L << (format.exponent_bits - 1)) - 1;
  const mpfr_exp_t old_min = mpfr_get_emin(), old_max = mpfr_get_emax();
  mpfr_set_emin(1 - bias - format.fraction_bits + 1);
  mpfr_set_emax(bias + 1);
  int ternary = 0;
  switch (operation) {
    case Operation::add:
      ternary = mpfr_add(result.get(), a.get(), b.get(), mode);
      break;
    case Operation::sub:
      ternary = mpfr_sub(result.get(), a.get(), b.get(), mode);
      break;
    case Operation::mul:
      ternary = mpfr_mul(result.get(), a.get(), b.get(), mode);
      break;
    case Operation::div:
      ternary = mpfr_div(result.get(), a.get(), b.get(), mode);
      break;
    case Operation::sqrt:
      ternary = mpfr_sqrt(result.get(), a.get(), mode);
      break;
    case Operation::fma:
      ternary = mpfr_fma(result.get(), a.get(), b.get(), c.get(), mode);
      break;
  }
  mpfr_subnormalize(result.get(), ternary, mode);
  mpfr_set_emin(old_min);
  mpfr_set_emax(old_max);
  return MpfrRounder().round(format, result, 0, {});
}

}  // namespace

TEST_CASE("the oracle agrees with MPFR's own exponent ranges and subnormals") {
  MpfrOracle oracle;
  constexpr std::pair<Rounding, mpfr_rnd_t> modes[] = {{Rounding::nearest_even, MPFR_RNDN},
                                                       {Rounding::zero, MPFR_RNDZ},
                                                       {Rounding::up, MPFR_RNDU},
                                                       {Rounding::down, MPFR_RNDD}};
  const std::array ieee_formats = {formats::f64,  formats::f32,  formats::tf32, formats::f16,
                                   formats::bf16, formats::e5m2, Format{3, 3}};
  for_all(30'000, [&](Random& random) {
    const Format format = random.pick(ieee_formats);
    const Operands x = structured_operands(random, format);
    const auto [rounding, mode] = random.pick(std::to_array(modes));
    const Operation operation = random.pick(std::to_array(all_operations));
    const Bits one_way = oracle(operation, format, x.a, x.b, x.c, {.rounding = rounding});
    const Bits other_way = by_exponent_range(operation, format, x, mode);
    if (one_way == other_way) return;
    CAPTURE(format_name(format), operation_name(operation), rounding_name(rounding), x.a, x.b, x.c);
    FAIL("the oracle is wrong");
  });
}

TEST_CASE("every operation in every format, rounding, overflow and flush rule is MPFR's") {
  MpfrOracle oracle;
  const std::vector<Format> formats = formats_to_test();
  for_all(250'000, [&](Random& random) {
    const Format format = random.pick(formats);
    const Operands x = structured_operands(random, format);
    const RoundRule rule = any_rule(random);
    for (const Operation operation : all_operations) {
      const Bits got = apply(operation, format, x.a, x.b, x.c, rule);
      const Bits want = expected(oracle, operation, format, x, rule);
      if (got == want) continue;
      CAPTURE(format_name(format), operation_name(operation), rounding_name(rule.rounding),
              static_cast<int>(rule.overflow), static_cast<int>(rule.flush), x.a, x.b, x.c, got,
              want);
      FAIL("bits differ");
    }
  });
}

TEST_CASE("conversions between all formats in all rules are MPFR's, with one rounding") {
  MpfrOracle oracle;
  const std::vector<Format> formats = formats_to_test();
  for_all(300'000, [&](Random& random) {
    const Format from = random.pick(formats), to = random.pick(formats);
    RoundRule rule = any_rule(random);
    rule.flush = Flush::none;
    const Bits code = structured_code(random, from);
    const Bits got = convert(from, to, code, rule);
    const Bits want = oracle.convert(from, to, code, rule);
    if (got == want) return;
    CAPTURE(format_name(from), format_name(to), rounding_name(rule.rounding), code, got, want);
    FAIL("bits differ");
  });
}

namespace {

/// All pairs of an 8-bit format; returns how many results differ.
long all_pairs(const Format& format, Operation operation, Rounding rounding) {
  MpfrOracle oracle;
  long differ = 0;
  const RoundRule rule{.rounding = rounding};
  const Bits codes = Bits{1} << format.code_bits();
  for (Bits a = 0; a < codes; ++a)
    for (Bits b = 0; b < codes; ++b)
      if (apply(operation, format, a, b, 0, rule) != oracle(operation, format, a, b, 0, rule))
        ++differ;
  return differ;
}

}  // namespace

TEST_CASE(
    "all pairs of all formats of 8 bits and fewer, all operations and roundings, are MPFR's") {
  for (const NamedFormat& named : named_formats()) {
    if (named.format.code_bits() > 8) continue;
    for (const Operation operation :
         {Operation::add, Operation::sub, Operation::mul, Operation::div})
      for (const Rounding rounding : all_roundings) {
        CAPTURE(named.name, operation_name(operation), rounding_name(rounding));
        CHECK(all_pairs(named.format, operation, rounding) == 0);
      }
  }
}

TEST_CASE("all pairs of all formats eXmY of 8 bits and fewer are MPFR's", "[.full]") {
  for (int exponent_bits = 2; exponent_bits <= 6; ++exponent_bits)
    for (int fraction_bits = 1; exponent_bits + fraction_bits <= 7; ++fraction_bits) {
      const Format format{exponent_bits, fraction_bits, Specials::ieee};
      for (const Operation operation :
           {Operation::add, Operation::sub, Operation::mul, Operation::div})
        for (const Rounding rounding : all_roundings) {
          CAPTURE(format_name(format), operation_name(operation), rounding_name(rounding));
          CHECK(all_pairs(format, operation, rounding) == 0);
        }
    }
}

TEST_CASE("every f16 and bf16 square root in every rounding is MPFR's") {
  MpfrOracle oracle;
  for (const Format& format : {formats::f16, formats::bf16})
    for (const Rounding rounding : all_roundings) {
      const RoundRule rule{.rounding = rounding};
      long differ = 0;
      for (Bits code = 0; code < 65'536; ++code)
        if (sqrt(format, code, rule) != oracle(Operation::sqrt, format, code, 0, 0, rule)) ++differ;
      CAPTURE(format_name(format), rounding_name(rounding));
      CHECK(differ == 0);
    }
}
