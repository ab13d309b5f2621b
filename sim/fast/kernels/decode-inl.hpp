// Storage words of up to 32 bits to float lanes: the magnitude is shifted under float's exponent
// and scaled by a power of two, which makes subnormals right too.
#if defined(WHYBITS_DECODE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHYBITS_DECODE_INL
#undef WHYBITS_DECODE_INL
#else
#define WHYBITS_DECODE_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "sim/fast/kernels/rounding-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whybits::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE V32 DecodeLanes(const Decoding& c, hn::Vec<U32> word) {
  const D32 d;
  const U32 du;
  const I32 di;
  const auto code = hn::ShiftRightSame(hn::And(word, hn::Set(du, c.keep)), c.word_shift);
  if (c.upper_part) return hn::BitCast(d, hn::ShiftLeftSame(code, c.fraction_up));
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
  std::memcpy(rest, words + i * sizeof(Word), (count - i) * sizeof(Word));  // perhaps not aligned
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

/// no_exponent of zero, special_exponent of infinities and NaN.
HWY_INLINE VI32 ExponentLanes(V32 v, int min_exponent) {
  const I32 di;
  const auto magnitude = hn::And(hn::BitCast(di, v), hn::Set(di, 0x7fffffff));
  auto e = hn::Sub(hn::ShiftRight<23>(magnitude), hn::Set(di, 127));
  e = hn::Max(e, hn::Set(di, min_exponent));
  e = hn::IfThenElse(hn::Eq(magnitude, hn::Zero(di)), hn::Set(di, no_exponent), e);
  return hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x7f7fffff)), hn::Set(di, special_exponent),
                        e);
}

/// Applies step(position, values) to whole vectors, and to a last one filled up with zeros.
template <class Step>
HWY_INLINE void ForVectors(const float* values, std::size_t count, Step step) {
  const D32 d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) step(i, hn::LoadU(d, values + i), lanes);
  if (i == count) return;
  HWY_ALIGN float rest[hn::MaxLanes(d)] = {};
  std::copy(values + i, values + count, rest);
  step(i, hn::LoadU(d, rest), count - i);
}

void Exponents(const float* values, std::size_t count, int min_exponent, std::int16_t* out) {
  const hn::Rebind<std::int16_t, D32> d16;
  ForVectors(values, count, [&](std::size_t i, V32 v, std::size_t lanes) {
    const auto e = hn::DemoteTo(d16, ExponentLanes(v, min_exponent));
    if (HWY_LIKELY(lanes == hn::Lanes(D32()))) return hn::StoreU(e, d16, out + i);
    HWY_ALIGN std::int16_t last[hn::MaxLanes(D32())];
    hn::StoreU(e, d16, last);
    std::copy(last, last + lanes, out + i);
  });
}

int RowExponents(const float* values, std::size_t count, int min_exponent, std::int32_t* out) {
  const I32 di;
  auto most = hn::Set(di, no_exponent);
  ForVectors(values, count, [&](std::size_t i, V32 v, std::size_t lanes) {
    const auto e = ExponentLanes(v, min_exponent);
    most = hn::Max(most, e);
    const auto biased = hn::Add(e, hn::Set(di, exponent_bias));
    const auto twice = hn::Or(hn::And(biased, hn::Set(di, 0xffff)), hn::ShiftLeft<16>(biased));
    if (HWY_LIKELY(lanes == hn::Lanes(di))) return hn::StoreU(twice, di, out + i);
    HWY_ALIGN std::int32_t last[hn::MaxLanes(I32())];
    hn::StoreU(twice, di, last);
    std::copy(last, last + lanes, out + i);
  });
  return hn::GetLane(hn::MaxOfLanes(di, most));
}

/// Where the magnitudes of some nonzero values lie.
class MagnitudeRange {
 public:
  MagnitudeRange() : most_(hn::Zero(U32())), least_less_one_(hn::Set(U32(), ~std::uint32_t{0})) {}
  HWY_INLINE void take(V32 v) {
    const U32 du;
    const auto magnitude = hn::And(hn::BitCast(du, v), hn::Set(du, 0x7fffffffu));
    most_ = hn::Max(most_, magnitude);
    least_less_one_ = hn::Min(least_less_one_, hn::Sub(magnitude, hn::Set(du, 1)));
  }
  HWY_INLINE ExponentRange exponents() const {
    const U32 du;
    const std::uint32_t least = hn::GetLane(hn::MinOfLanes(du, least_less_one_)) + 1;
    const std::uint32_t most = hn::GetLane(hn::MaxOfLanes(du, most_));
    ExponentRange range;
    if (most == 0) return range;
    range.least = exponent(least, -149);
    range.most = exponent(most, -127);
    return range;
  }

 private:
  static int exponent(std::uint32_t magnitude, int of_subnormal) {
    const int field = static_cast<int>(magnitude >> 23);
    return field == 0 ? of_subnormal : field - 127;
  }

  hn::Vec<U32> most_, least_less_one_;  ///< zeros are the largest less one
};

ExponentRange RangeOf(const float* values, std::size_t count) {
  MagnitudeRange range;
  ForVectors(values, count, [&](std::size_t, V32 v, std::size_t) { range.take(v); });
  return range.exponents();
}

}  // namespace whybits::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
