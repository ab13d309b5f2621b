// Storage words of up to 32 bits to float lanes: the magnitude is shifted under float's exponent
// and scaled by a power of two, which makes subnormals right too.
#if defined(WHYBITS_DECODE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHYBITS_DECODE_INL
#undef WHYBITS_DECODE_INL
#else
#define WHYBITS_DECODE_INL
#endif

#include <hwy/highway.h>

#include "sim/fast/kernels/rounding-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whybits::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE V32 DecodeLanes(const Decoding& c, hn::Vec<U32> word) {
  const D32 d;
  const U32 du;
  const I32 di;
  const auto code = hn::ShiftRightSame(hn::And(word, hn::Set(du, c.keep)), c.word_shift);
  const auto magnitude = hn::And(code, hn::Set(du, c.magnitude));
  const auto sign = hn::And(hn::ShiftLeftSame(code, c.sign_up), hn::Set(du, 0x80000000u));
  const auto special =
      hn::Gt(hn::BitCast(di, magnitude), hn::Set(di, static_cast<std::int32_t>(c.most_finite)));
  const auto shifted = hn::ShiftLeftSame(magnitude, c.fraction_up);
  const auto scaled = hn::BitCast(du, hn::Mul(hn::BitCast(d, shifted), hn::Set(d, c.scale)));
  const auto all_ones = hn::Or(shifted, hn::Set(du, 0x7f800000u));
  return hn::BitCast(d,
                     hn::Or(hn::IfThenElse(hn::RebindMask(du, special), all_ones, scaled), sign));
}

template <class Word>
HWY_INLINE void DecodeWords(const Decoding& c, const std::byte* words, std::size_t count,
                            float* values) {
  const D32 d;
  const U32 du;
  const hn::Rebind<Word, D32> dw;
  const std::size_t lanes = hn::Lanes(d);
  const auto* from = reinterpret_cast<const Word*>(words);
  const auto load = [&](const Word* at) {
    if constexpr (sizeof(Word) == 4)
      return hn::LoadU(du, at);
    else
      return hn::PromoteTo(du, hn::LoadU(dw, at));
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(DecodeLanes(c, load(from + i)), d, values + i);
  if (i == count) return;
  HWY_ALIGN Word rest[hn::MaxLanes(d)] = {};
  HWY_ALIGN float decoded[hn::MaxLanes(d)];
  std::copy(from + i, from + count, rest);
  hn::StoreU(DecodeLanes(c, load(rest)), d, decoded);
  std::copy(decoded, decoded + (count - i), values + i);
}

void Decode(const Decoding& c, const std::byte* words, std::size_t count, float* values) {
  switch (c.word_bytes) {
    case 1:
      return DecodeWords<std::uint8_t>(c, words, count, values);
    case 2:
      return DecodeWords<std::uint16_t>(c, words, count, values);
    default:
      return DecodeWords<std::uint32_t>(c, words, count, values);
  }
}

void Exponents(const float* values, std::size_t count, int min_exponent, std::int16_t* out) {
  const D32 d;
  const I32 di;
  const hn::Rebind<std::int16_t, D32> d16;
  const std::size_t lanes = hn::Lanes(d);
  const auto exponents = [&](V32 v) {
    const auto magnitude = hn::And(hn::BitCast(di, v), hn::Set(di, 0x7fffffff));
    auto e = hn::Sub(hn::ShiftRight<23>(magnitude), hn::Set(di, 127));
    e = hn::Max(e, hn::Set(di, min_exponent));
    e = hn::IfThenElse(hn::Eq(magnitude, hn::Zero(di)), hn::Set(di, no_exponent), e);
    e = hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x7f7fffff)), hn::Set(di, special_exponent),
                       e);
    return hn::DemoteTo(d16, e);
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(exponents(hn::LoadU(d, values + i)), d16, out + i);
  if (i == count) return;
  HWY_ALIGN float rest[hn::MaxLanes(d)] = {};
  HWY_ALIGN std::int16_t last[hn::MaxLanes(d)];
  std::copy(values + i, values + count, rest);
  hn::StoreU(exponents(hn::LoadU(d, rest)), d16, last);
  std::copy(last, last + (count - i), out + i);
}

}  // namespace whybits::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
