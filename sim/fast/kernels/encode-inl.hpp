// Float lanes to storage words of up to 32 bits: the inverse of decode-inl.hpp. Values are the
// format's, so that scaling, which makes its subnormals f32's, is exact.
#if defined(WHYBITS_ENCODE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHYBITS_ENCODE_INL
#undef WHYBITS_ENCODE_INL
#else
#define WHYBITS_ENCODE_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "sim/fast/kernels/rounding-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whybits::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE hn::Vec<U32> EncodeLanes(const Encoding& e, V32 v) {
  const D32 d;
  const U32 du;
  const I32 di;
  const auto bits = hn::BitCast(du, v);
  const auto magnitude = hn::And(bits, hn::Set(du, 0x7fffffffu));
  const auto scaled = hn::BitCast(du, hn::Mul(hn::BitCast(d, magnitude), hn::Set(d, e.scale)));
  const auto special = hn::Gt(hn::BitCast(di, magnitude), hn::Set(di, 0x7f7fffff));
  const auto code = hn::IfThenElse(hn::RebindMask(du, special), hn::Set(du, e.infinity),
                                   hn::ShiftRightSame(scaled, e.down));
  const auto sign = hn::ShiftRightSame(hn::And(bits, hn::Set(du, 0x80000000u)), e.sign_down);
  return hn::ShiftLeftSame(hn::Or(code, sign), e.up);
}

template <class Word>
HWY_INLINE void StoreWords(hn::Vec<U32> word, Word* to) {
  const hn::Rebind<Word, U32> dw;
  if constexpr (sizeof(Word) == 4)
    hn::StoreU(word, U32(), to);
  else
    hn::StoreU(hn::TruncateTo(dw, word), dw, to);
}

template <class Word>
HWY_INLINE bool EncodeWords(const Encoding& e, const float* values, std::size_t count,
                            std::byte* words) {
  const D32 d;
  const std::size_t lanes = hn::Lanes(d);
  auto nan = hn::IsNaN(hn::Zero(d));
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const V32 v = hn::LoadU(d, values + i);
    nan = hn::Or(nan, hn::IsNaN(v));
    StoreWords(EncodeLanes(e, v), reinterpret_cast<Word*>(words) + i);
  }
  if (i < count) {
    HWY_ALIGN float rest[hn::MaxLanes(d)] = {};
    HWY_ALIGN Word encoded[hn::MaxLanes(d)];
    std::copy(values + i, values + count, rest);
    const V32 v = hn::Load(d, rest);
    nan = hn::Or(nan, hn::IsNaN(v));
    StoreWords(EncodeLanes(e, v), encoded);
    std::memcpy(words + i * sizeof(Word), encoded, (count - i) * sizeof(Word));
  }
  return !hn::AllFalse(d, nan);
}

bool Encode(const Encoding& e, const float* values, std::size_t count, std::byte* words) {
  switch (e.word_bytes) {
    case 1:
      return EncodeWords<std::uint8_t>(e, values, count, words);
    case 2:
      return EncodeWords<std::uint16_t>(e, values, count, words);
    default:
      return EncodeWords<std::uint32_t>(e, values, count, words);
  }
}

}  // namespace whybits::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
