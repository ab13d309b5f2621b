// Sums and products of f16 pairs against the processor: in f32, then rounded to f16 once more. That
// second rounding is innocent here, f32 has more than twice the precision of f16 and two bits more.
#include "tests/support/catch.hpp"
#include "tests/support/processor.hpp"

#if defined(__FLT16_MANT_DIG__)

using namespace whybits;
using namespace whybits::test;

namespace {

constexpr Bits codes = 65'536;

const std::vector<float>& values() {
  static const std::vector<float> table = [] {
    __extension__ using Half = _Float16;
    std::vector<float> all(codes);
    for (Bits code = 0; code < codes; ++code) all[code] = static_cast<float>(from_bits<Half>(code));
    return all;
  }();
  return table;
}

Bits to_half(float value) {
  __extension__ using Half = _Float16;
  return to_bits(static_cast<Half>(value));
}

/// 0 to 2: how many of sum and product differ.
int differences(Bits a, Bits b) {
  const float x = values()[a], y = values()[b];
  return (add(formats::f16, a, b) != to_half(x + y) ? 1 : 0) +
         (mul(formats::f16, a, b) != to_half(x * y) ? 1 : 0);
}

}  // namespace

TEST_CASE(
    "2^18 f16 sums and products, one b of each binade for every fourth a, are the processor's") {
  Random random(run_seed());
  long differ = 0, pairs = 0;
  for (Bits a = random.below(4); a < codes; a += 4)
    for (Bits stratum = random.below(4); stratum < 64; stratum += 4, ++pairs)
      differ += differences(a, (stratum << 10) + random.below(1024));
  CHECK(pairs == 1 << 18);
  CHECK(differ == 0);
}

TEST_CASE("2^24 f16 sums and products, a b of each 256 codes for every a, are the processor's",
          "[.full]") {
  Random random(run_seed());
  long differ = 0;
  for (Bits a = 0; a < codes; ++a)
    for (Bits stratum = 0; stratum < 256; ++stratum)
      differ += differences(a, (stratum << 8) + random.below(256));
  CHECK(differ == 0);
}

TEST_CASE("all 2^32 f16 sums and all 2^32 f16 products are the processor's", "[.long]") {
  long differ = 0;
  for (Bits a = 0; a < codes; ++a)
    for (Bits b = 0; b < codes; ++b) differ += differences(a, b);
  CHECK(differ == 0);
}

#endif
