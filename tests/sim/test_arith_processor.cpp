// Reference arithmetic against the processor, rounding to nearest even.
#include <limits>

#include "tests/support/catch.hpp"
#include "tests/support/processor.hpp"

using namespace whybits;
using namespace whybits::test;

namespace {

template <class Float>
void same_as_processor(const Format& format, int rounds) {
  for_all(rounds, [&](Random& random) {
    const auto [a, b, c] = structured_operands(random, format);
    for (const Operation operation : all_operations) {
      const Bits got = apply(operation, format, a, b, c);
      const Bits want = to_bits(
          on_processor(operation, from_bits<Float>(a), from_bits<Float>(b), from_bits<Float>(c)));
      if (got == want) continue;
      CAPTURE(operation_name(operation), a, b, c, got, want);
      FAIL("bits differ");
    }
  });
}

}  // namespace

TEST_CASE("f32 add sub mul div sqrt fma are the processor's, bit for bit") {
  same_as_processor<float>(formats::f32, 400'000);
}

TEST_CASE("f64 add sub mul div sqrt fma are the processor's, bit for bit") {
  same_as_processor<double>(formats::f64, 400'000);
}

TEST_CASE("conversions between f32 and f64 are the processor's, both ways") {
  for_all(400'000, [](Random& random) {
    const Bits a = structured_code(random, formats::f64);
    const Bits b = structured_code(random, formats::f32);
    const Bits narrowed = to_bits(static_cast<float>(from_bits<double>(a)));
    const Bits widened = to_bits(static_cast<double>(from_bits<float>(b)));
    if (convert(formats::f64, formats::f32, a) == narrowed &&
        convert(formats::f32, formats::f64, b) == widened)
      return;
    CAPTURE(a, b);
    FAIL("bits differ");
  });
}

#if defined(__FLT16_MANT_DIG__)

// The compiler computes one _Float16 operation in f32 and rounds it to f16. That is innocent for
// these five: f32 has more than twice the precision of f16 and two bits more.
TEST_CASE("f16 add sub mul div sqrt are the compiler's _Float16, bit for bit") {
  __extension__ using Half = _Float16;
  for_all(400'000, [](Random& random) {
    const auto [a, b, c] = structured_operands(random, formats::f16);
    const Half x = from_bits<Half>(a), y = from_bits<Half>(b);
    const auto sum = static_cast<Half>(x + y), difference = static_cast<Half>(x - y),
               product = static_cast<Half>(x * y), quotient = static_cast<Half>(x / y),
               root = static_cast<Half>(std::sqrt(static_cast<float>(x)));
    CAPTURE(a, b);
    const bool same =
        add(formats::f16, a, b) == to_bits(sum) && sub(formats::f16, a, b) == to_bits(difference) &&
        mul(formats::f16, a, b) == to_bits(product) &&
        div(formats::f16, a, b) == to_bits(quotient) && sqrt(formats::f16, a) == to_bits(root);
    if (same) return;
    CAPTURE(a, b);
    FAIL("bits differ");
  });
}

TEST_CASE("all 65,536 f16 codes convert to f32 and back as the compiler's _Float16 does") {
  __extension__ using Half = _Float16;
  int differ = 0;
  for (Bits code = 0; code < 65'536; ++code) {
    const Half half = from_bits<Half>(code);
    const Bits wide = convert(formats::f16, formats::f32, code);
    if (wide != to_bits(static_cast<float>(half))) ++differ;
    const Bits back = convert(formats::f32, formats::f16, wide);
    if (back != to_bits(half)) ++differ;
  }
  CHECK(differ == 0);
}

TEST_CASE("f32 and f64 convert to f16 as the compiler's _Float16, without going through f32") {
  __extension__ using Half = _Float16;
  for_all(200'000, [](Random& random) {
    const Bits a = structured_code(random, formats::f32);
    const Bits b = structured_code(random, formats::f64);
    const bool same =
        convert(formats::f32, formats::f16, a) == to_bits(static_cast<Half>(from_bits<float>(a))) &&
        convert(formats::f64, formats::f16, b) == to_bits(static_cast<Half>(from_bits<double>(b)));
    if (same) return;
    CAPTURE(a, b);
    FAIL("bits differ");
  });
}

#endif
