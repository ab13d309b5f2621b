// Reference arithmetic against the processor in its four rounding modes. Compiled with
// -frounding-math; the mode is set for one operation and restored at once.
#include <cfenv>

#include "tests/support/catch.hpp"
#include "tests/support/opaque.hpp"
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

class RoundingMode {
 public:
  explicit RoundingMode(int environment) : before_(std::fegetround()) {
    std::fesetround(environment);
  }
  ~RoundingMode() { std::fesetround(before_); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  int before_;
};

template <class Float>
Bits expected(int environment, Operation operation, Bits a, Bits b, Bits c) {
  const auto x = from_bits<Float>(a), y = from_bits<Float>(b), z = from_bits<Float>(c);
  Float result;
  {
    const RoundingMode mode(environment);
    result = on_processor(operation, x, y, z);
  }
  return to_bits(result);
}

template <class Float>
void same_as_processor(const Format& format, int rounds) {
  for_all(rounds, [&](Random& random) {
    const auto [a, b, c] = structured_operands(random, format);
    for (const auto& [rounding, environment] : modes)
      for (const Operation operation : all_operations) {
        const Bits got = apply(operation, format, a, b, c, {.rounding = rounding});
        const Bits want = expected<Float>(environment, operation, a, b, c);
        if (got == want) continue;
        CAPTURE(operation_name(operation), rounding_name(rounding), a, b, c, got, want);
        FAIL("bits differ");
      }
  });
}

WHYBITS_OPAQUE float narrow(double value) {
  return static_cast<float>(value);
}

}  // namespace

TEST_CASE("f32 operations are the processor's in all four of its modes") {
  same_as_processor<float>(formats::f32, 60'000);
}

TEST_CASE("f64 operations are the processor's in all four of its modes") {
  same_as_processor<double>(formats::f64, 60'000);
}

TEST_CASE("f64 converts to f32 as the processor does in all four of its modes") {
  for_all(100'000, [](Random& random) {
    const Bits code = structured_code(random, formats::f64);
    for (const auto& [rounding, environment] : modes) {
      float result = 0;
      {
        const RoundingMode mode(environment);
        result = narrow(from_bits<double>(code));
      }
      const Bits got = convert(formats::f64, formats::f32, code, {.rounding = rounding});
      if (got == to_bits(result)) continue;
      CAPTURE(rounding_name(rounding), code, got, to_bits(result));
      FAIL("bits differ");
    }
  });
}

TEST_CASE("the processor is left rounding to nearest") {
  CHECK(std::fegetround() == FE_TONEAREST);
}
