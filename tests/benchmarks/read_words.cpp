#include "tests/benchmarks/read_words.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/benchmarks/read_words.cpp"
#define HWY_DISABLED_TARGETS (HWY_AVX3_DL | HWY_SSSE3)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace whybits::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

std::uint64_t XorWords(const std::uint64_t* words, std::size_t count) {
  const hn::ScalableTag<std::uint64_t> d;
  constexpr std::size_t kWide = 4;
  const std::size_t lanes = hn::Lanes(d);
  auto x0 = hn::Zero(d), x1 = x0, x2 = x0, x3 = x0;
  for (std::size_t i = 0; i < count; i += kWide * lanes) {
    x0 = hn::Xor(x0, hn::LoadU(d, words + i));
    x1 = hn::Xor(x1, hn::LoadU(d, words + i + lanes));
    x2 = hn::Xor(x2, hn::LoadU(d, words + i + 2 * lanes));
    x3 = hn::Xor(x3, hn::LoadU(d, words + i + 3 * lanes));
  }
  HWY_ALIGN std::uint64_t all[hn::MaxLanes(hn::ScalableTag<std::uint64_t>())];
  hn::Store(hn::Xor(hn::Xor(x0, x1), hn::Xor(x2, x3)), d, all);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < lanes; ++i) total ^= all[i];
  return total;
}

}  // namespace whybits::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whybits::bench {

HWY_EXPORT(XorWords);

std::uint64_t xor_words(std::span<const std::byte> words) {
  return HWY_DYNAMIC_DISPATCH(XorWords)(reinterpret_cast<const std::uint64_t*>(words.data()),
                                        words.size() / sizeof(std::uint64_t));
}

}  // namespace whybits::bench
#endif
