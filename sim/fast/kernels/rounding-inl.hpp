// Rounding in double lanes, to any format and by any rule that Rounder describes.
//
// v / 2^q, with q the place of the last bit kept, is an integer and a fraction: the fraction
// decides. v is exact or rounded to odd, which keeps every decision right: formats have at most 51
// bits here, double 53.
//
// Targets of Highway are ordered: those of AVX-512 are at most HWY_AVX3.
#if defined(WHYBITS_ROUNDING_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHYBITS_ROUNDING_INL
#undef WHYBITS_ROUNDING_INL
#else
#define WHYBITS_ROUNDING_INL
#endif

#include <hwy/highway.h>

#include "sim/fast/kernels/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace whybits::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D64 = hn::ScalableTag<double>;
using I64 = hn::RebindToSigned<D64>;
using U64 = hn::RebindToUnsigned<D64>;
using D32 = hn::ScalableTag<float>;
using H32 = hn::Half<D32>;  // as many lanes as D64
using I32 = hn::RebindToSigned<D32>;
using U32 = hn::RebindToUnsigned<D32>;
using V64 = hn::Vec<D64>;
using V32 = hn::Vec<D32>;
using VI32 = hn::Vec<I32>;

template <class V>
HWY_INLINE V SignOf(V v) {
  return hn::And(v, hn::SignBit(hn::DFromV<V>()));
}

/// Subnormal operands as zeros of their sign.
HWY_INLINE V64 FlushOperand(const Rounder& r, V64 v) {
  if (r.flush_below == 0) return v;
  const D64 d;
  return hn::IfThenElse(hn::Lt(hn::Abs(v), hn::Set(d, r.flush_below)), SignOf(v), v);
}

/// Whether the fraction rest ∈ [0, 1) of a magnitude takes it up.
HWY_INLINE hn::Mask<D64> RoundsAway(Rounding rounding, V64 whole, V64 rest,
                                    hn::Mask<D64> negative) {
  const D64 d;
  const auto inexact = hn::Gt(rest, hn::Zero(d));
  const V64 half = hn::Set(d, 0.5);
  const V64 floor_half = hn::Trunc(hn::Mul(whole, half));
  const auto odd = hn::Ne(hn::Add(floor_half, floor_half), whole);
  switch (rounding) {
    case Rounding::nearest_even:
      return hn::Or(hn::Gt(rest, half), hn::And(hn::Eq(rest, half), odd));
    case Rounding::nearest_away:
      return hn::Ge(rest, half);
    case Rounding::up:
      return hn::AndNot(negative, inexact);
    case Rounding::down:
      return hn::And(negative, inexact);
    case Rounding::odd:
      return hn::AndNot(odd, inexact);
    case Rounding::zero:
    case Rounding::stochastic:  // has no Rounder
      break;
  }
  return hn::MaskFromVec(hn::Zero(d));
}

HWY_INLINE V64 RoundLanes(const Rounder& r, V64 v) {
  const D64 d;
  const I64 di;
  const V64 sign = SignOf(v);
  const V64 magnitude = hn::Abs(v);
  const auto negative = hn::MaskFromVec(hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(di, v))));
  const auto field = hn::ShiftRight<52>(hn::BitCast(di, magnitude));
  const auto quantum =
      hn::Sub(hn::Max(field, hn::Set(di, r.min_exponent + 1023)), hn::Set(di, r.fraction_bits));
  const V64 up = hn::BitCast(d, hn::ShiftLeft<52>(quantum));
  const V64 down = hn::BitCast(d, hn::ShiftLeft<52>(hn::Sub(hn::Set(di, 2046), quantum)));
  const V64 scaled = hn::Mul(magnitude, down);
  const V64 whole = hn::Trunc(scaled);
  const auto away = RoundsAway(r.rounding, whole, hn::Sub(scaled, whole), negative);
  V64 result = hn::Mul(hn::Add(whole, hn::IfThenElseZero(away, hn::Set(d, 1.0))), up);
  if (r.flush_result) result = hn::IfThenZeroElse(hn::Lt(result, hn::Set(d, r.min_normal)), result);
  const auto over = hn::Gt(result, hn::Set(d, r.max_finite));
  result = hn::Or(result, sign);
  result = hn::IfThenElse(
      over, hn::IfThenElse(negative, hn::Set(d, r.overflow[1]), hn::Set(d, r.overflow[0])), result);
  const V64 infinity = hn::Set(d, std::numeric_limits<double>::infinity());
  result = hn::IfThenElse(
      hn::Eq(magnitude, infinity),
      hn::IfThenElse(negative, hn::Set(d, r.infinity[1]), hn::Set(d, r.infinity[0])), result);
  // Not Ne, which is false of NaN too.
  return hn::IfThenElse(hn::Eq(v, v), result, hn::Set(d, r.nan));
}

/// A conversion: operands are flushed, then it is rounded.
HWY_INLINE V64 ConvertLanes(const Rounder& r, V64 v) {
  return RoundLanes(r, FlushOperand(r, v));
}

/// x + y in double, rounded to odd. (Knuth's two-sum; infinities and NaN stay.)
HWY_INLINE V64 AddToOdd(V64 x, V64 y) {
  const D64 d;
  const I64 di;
  const V64 sum = hn::Add(x, y);
  const V64 part = hn::Sub(sum, x);
  const V64 error = hn::Add(hn::Sub(x, hn::Sub(sum, part)), hn::Sub(y, part));
  const auto inexact = hn::Gt(hn::Abs(error), hn::Zero(d));
  const auto opposite = hn::BroadcastSignBit(hn::BitCast(di, hn::Xor(sum, error)));
  auto bits = hn::Add(hn::BitCast(di, sum), opposite);  // −1: toward zero by one place
  bits = hn::Or(bits, hn::Set(di, 1));
  return hn::IfThenElse(inexact, hn::BitCast(d, bits), sum);
}

/// x + y by a rule. Exact zero sums are +0, or −0 when rounding down, unless both are of one sign.
HWY_INLINE V64 AddLanes(const Rounder& r, V64 x, V64 y) {
  const D64 d;
  V64 sum = AddToOdd(x, y);
  if (r.rounding == Rounding::down)
    sum = hn::IfThenElse(hn::Eq(sum, hn::Zero(d)), hn::Or(SignOf(x), SignOf(y)), sum);
  return RoundLanes(r, sum);
}

HWY_INLINE V64 Widen(D64 d, V32 v, std::size_t half) {
  return half == 0 ? hn::PromoteTo(d, hn::LowerHalf(H32(), v))
                   : hn::PromoteTo(d, hn::UpperHalf(H32(), v));
}
HWY_INLINE V32 Narrow(V64 low, V64 high) {
  const H32 h;
  return hn::Combine(D32(), hn::DemoteTo(h, high), hn::DemoteTo(h, low));
}

/// Applies a function on double lanes to float ones.
template <class Function>
HWY_INLINE V32 InDouble(V32 v, Function function) {
  const D64 d;
  return Narrow(function(Widen(d, v, 0)), function(Widen(d, v, 1)));
}

/// To f32's exponents with fewer fraction bits, nearest even: on the bits, which carry into the
/// exponent as they should.
HWY_INLINE V32 RoundToBrain(int fraction_bits, V32 v) {
  const D32 d;
  const U32 du;
  const int dropped = 23 - fraction_bits;
#if HWY_TARGET <= HWY_AVX3
  (void)d;
  (void)du;
  const __m512i word = _mm512_castps_si512(v.raw);
  const __mmask16 odd_bits = _mm512_test_epi32_mask(word, _mm512_set1_epi32(1 << dropped));
  __m512i sum = _mm512_add_epi32(word, _mm512_set1_epi32((1 << (dropped - 1)) - 1));
  sum = _mm512_mask_add_epi32(sum, odd_bits, sum, _mm512_set1_epi32(1));
  const __mmask16 number = _mm512_cmp_ps_mask(v.raw, v.raw, _CMP_ORD_Q);
  return V32{_mm512_castsi512_ps(
      _mm512_mask_and_epi32(word, number, sum, _mm512_set1_epi32(-(1 << dropped))))};
#else
  const auto bits = hn::BitCast(du, v);
  const auto odd = hn::And(hn::ShiftRightSame(bits, dropped), hn::Set(du, 1));
  const auto below_half = hn::Set(du, (std::uint32_t{1} << (dropped - 1)) - 1);
  const auto kept =
      hn::And(hn::Add(hn::Add(bits, below_half), odd), hn::Set(du, ~std::uint32_t{0} << dropped));
  return hn::IfThenElse(hn::Eq(v, v), hn::BitCast(d, kept), v);
#endif
}

/// To f16 and back, nearest even.
HWY_INLINE V32 RoundToHalf(const Rounder& r, V32 v) {
#if HWY_TARGET <= HWY_AVX3
  (void)r;
  return V32{
      _mm512_cvtph_ps(_mm512_cvtps_ph(v.raw, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))};
#elif HWY_TARGET == HWY_AVX2
  (void)r;
  return V32{
      _mm256_cvtph_ps(_mm256_cvtps_ph(v.raw, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))};
#else
  return InDouble(v, [&](V64 x) { return RoundLanes(r, x); });
#endif
}

/// A conversion of float lanes, by its shortcut where it has one.
HWY_INLINE V32 ConvertFloats(const Rounder& r, V32 v) {
  if (r.shortcut == Shortcut::brain) return RoundToBrain(r.fraction_bits, v);
  if (r.shortcut == Shortcut::half) return RoundToHalf(r, v);
  return InDouble(v, [&](V64 x) { return ConvertLanes(r, x); });
}

template <class T>
void RoundAll(const Rounder& r, T* x, std::size_t count);

template <>
void RoundAll<float>(const Rounder& r, float* x, std::size_t count) {
  const D32 d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d))
    hn::StoreU(ConvertFloats(r, hn::LoadU(d, x + i)), d, x + i);
}

template <>
void RoundAll<double>(const Rounder& r, double* x, std::size_t count) {
  const D64 d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d))
    hn::StoreU(ConvertLanes(r, hn::LoadU(d, x + i)), d, x + i);
}

}  // namespace whybits::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
