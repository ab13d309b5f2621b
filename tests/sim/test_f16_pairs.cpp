// Sums and products of f16 pairs against the processor: in f32, then rounded to f16 once more. That
// second rounding is innocent here, f32 has more than twice the precision of f16 and two bits more.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

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

namespace {

/// Every b with every a, the a's dealt to all cores; a line on stderr every 30 s.
long differences_of_all_pairs() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds interval(30);
  values();  // made before the threads read it
  std::atomic<Bits> next{0}, finished{0};
  std::atomic<long> differ{0};
  const auto work = [&] {
    for (Bits a = next++; a < codes; a = next++) {
      long here = 0;
      for (Bits b = 0; b < codes; ++b) here += differences(a, b);
      differ += here;
      ++finished;
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < std::max(1U, std::thread::hardware_concurrency()); ++t)
    threads.emplace_back(work);
  auto told = Clock::now();
  while (finished < codes) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (Clock::now() - told < interval) continue;
    told = Clock::now();
    std::fprintf(stderr, "%llu of %llu values of a, %ld differences\n",
                 static_cast<unsigned long long>(finished), static_cast<unsigned long long>(codes),
                 differ.load());
  }
  return differ;
}

}  // namespace

TEST_CASE("all 2^32 f16 sums and all 2^32 f16 products are the processor's", "[.long]") {
  CHECK(differences_of_all_pairs() == 0);
}

#endif
