// TestFloat's text form. Expected lines worked out by hand.
#include <sstream>

#include "lab/case_stream.hpp"
#include "lab/usage_error.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using whybits::test::contains;

namespace {

std::string answers(const CaseStream& cases, const std::string& input) {
  std::istringstream in(input);
  std::ostringstream out;
  answer_cases(cases, in, out);
  return out.str();
}

CaseStream of(Arithmetic operation, const Format& format, const RoundRule& rule = {}) {
  return {operation, format, format, rule};
}

}  // namespace

TEST_CASE("operands come back with result and flags, further columns and blank lines do not") {
  CHECK(answers(of(Arithmetic::add, formats::f32),
                "3F800000 33800000 3F800001 01\n\n7f7fffff 7f7fffff\n") ==
        "3F800000 33800000 3F800000 01\n7F7FFFFF 7F7FFFFF 7F800000 05\n");
  CHECK(answers(of(Arithmetic::div, formats::f16), "3C00 0\r\n") == "3C00 0000 7C00 08\n");
  CHECK(answers(of(Arithmetic::sqrt, formats::f64), "C000000000000000\n") ==
        "C000000000000000 7FFFFFFFFFFFFFFF 10\n");
  CHECK(answers(of(Arithmetic::fma, formats::f16), "3C00 3C00 3C00") == "3C00 3C00 3C00 4000 00\n");
  CHECK(answers({Arithmetic::convert, formats::f32, formats::f16, {}}, "3F800001\n") ==
        "3F800001 3C00 01\n");
}

TEST_CASE("tininess is the caller's choice") {
  const std::string tiny = "380FFFFFF0000000\n";
  CaseStream cases{Arithmetic::convert, formats::f64, formats::f32, {}};
  CHECK(answers(cases, tiny) == "380FFFFFF0000000 00800000 03\n");
  cases.rule.tininess = Tininess::after;
  CHECK(answers(cases, tiny) == "380FFFFFF0000000 00800000 01\n");
}

TEST_CASE("a bad line is named by its number, after the answers before it") {
  const CaseStream cases = of(Arithmetic::add, formats::f16);
  for (const auto& [bad, why] : {std::pair{"3C00", "1 of 2 operands"},
                                 {"3C00 3G00", "'G' is not a hexadecimal digit"},
                                 {"3C00 13C00", "'13C00' is not a word of f16"},
                                 {"0x3C00 1", "'x' is not"}}) {
    std::istringstream in("3C00 3C00\n" + std::string(bad) + "\n3C00 3C00\n");
    std::ostringstream out;
    CAPTURE(bad);
    try {
      answer_cases(cases, in, out);
      FAIL("it was accepted");
    } catch (const UsageError& error) {
      CHECK_THAT(error.what(), contains("line 2"));
      CHECK_THAT(error.what(), contains(why));
    }
    CHECK(out.str() == "3C00 3C00 4000 00\n");
  }
  std::istringstream in("3F802001 3F800000\n");
  std::ostringstream out;
  CHECK_THROWS_AS(answer_cases(of(Arithmetic::add, formats::tf32), in, out), UsageError);
}
