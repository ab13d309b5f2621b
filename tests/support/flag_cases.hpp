#pragma once

#include <sstream>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/structured_cases.hpp"

// Bits and flags of many cases against an expected side, counted.

namespace whybits::test {

struct Answer {
  Bits code = 0;
  Flags flags;
  bool operator==(const Answer&) const = default;
};

inline Answer answer(Operation operation, const Format& format, const Operands& x,
                     const RoundRule& rule) {
  RoundTrace trace;
  const Bits code = apply(operation, format, x.a, x.b, x.c, rule, &trace);
  return {code, trace.flags};
}

inline Answer converted(const Format& from, const Format& to, Bits code, const RoundRule& rule) {
  RoundTrace trace;
  const Bits result = convert(from, to, code, rule, &trace);
  return {result, trace.flags};
}

/// Counts what differs and keeps the first such case as text.
class Tally {
 public:
  void add(const char* operation, const Operands& x, const RoundRule& rule, const Answer& got,
           const Answer& want) {
    ++cases;
    if (got == want) return;
    if (differ++ > 0) return;
    std::ostringstream text;
    text << std::hex << std::uppercase << operation << ' ' << rounding_name(rule.rounding)
         << (rule.tininess == Tininess::after ? ", tiny after rounding: " : ": ") << x.a << ' '
         << x.b << ' ' << x.c << " gives " << got.code << ", flags " << int{got.flags.byte()}
         << "; expected " << want.code << ", flags " << int{want.flags.byte()};
    first = text.str();
  }

  long cases = 0;
  long differ = 0;
  std::string first;
};

inline void require_none(const Tally& tally) {
  INFO(tally.differ << " of " << tally.cases << " cases differ; the first: " << tally.first);
  CHECK(tally.differ == 0);
}

}  // namespace whybits::test
