// One step of a matrix unit on lanes, T(L, F, ρ, e0) of sim/aligned_step.hpp.
//
// E, the largest exponent, needs only integer exponents: add, max. Then each product a·b, exact in
// float, is scaled by 2^(F − E) and converted to an integer with truncation, which is the unit's
// own; integers are added exactly, and ρ converts once.
//
// Why floats are enough. Operands have at most 24 bits together, so a·b is exact unless it is
// subnormal in float; then it is below 2^−125, and with E ≥ low = F − 126 it is cut to nothing
// either way. |a·b| 2^(F − E) < 2^(F + 2): `group` = 2^(29 − F) of them stay in 32 bits. Above
// `high` a sum could leave float. Lanes whose E is elsewhere, with infinities, NaN or too large a
// sum take that step by the reference.
#if defined(WHYBITS_ALIGNED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHYBITS_ALIGNED_INL
#undef WHYBITS_ALIGNED_INL
#else
#define WHYBITS_ALIGNED_INL
#endif

#include <hwy/highway.h>

#include "sim/fast/kernels/rounding-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whybits::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D16 = hn::ScalableTag<std::int16_t>;
using V16 = hn::Vec<D16>;

/// Float to integer, toward zero, for values that fit. (ConvertTo would also saturate.)
HWY_INLINE VI32 TruncateToInt(V32 v) {
#if HWY_TARGET == HWY_AVX3
  return VI32{_mm512_cvttps_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
  return VI32{_mm256_cvttps_epi32(v.raw)};
#else
  return hn::ConvertTo(I32(), v);
#endif
}

/// Clears the bits of a magnitude below its 24 highest; they go to `lost`.
HWY_INLINE VI32 HighestBits(VI32 magnitude, VI32* lost) {
  const I32 di;
  auto below = hn::ShiftRight<24>(magnitude);
  below = hn::Or(below, hn::ShiftRight<1>(below));
  below = hn::Or(below, hn::ShiftRight<2>(below));
  below = hn::Or(below, hn::ShiftRight<4>(below));
  *lost = hn::And(magnitude, below);
  (void)di;
  return hn::AndNot(below, magnitude);
}

/// Integer to float, toward zero.
HWY_INLINE V32 ToFloatTowardZero(VI32 v) {
#if HWY_TARGET == HWY_AVX3
  return V32{_mm512_cvt_roundepi32_ps(v.raw, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)};
#else
  const D32 d;
  VI32 lost;
  const V32 magnitude = hn::ConvertTo(d, HighestBits(hn::Abs(v), &lost));
  return hn::Or(magnitude, SignOf(hn::BitCast(d, v)));
#endif
}

/// Integer to float, to odd: a second rounding to fewer bits is then innocent.
HWY_INLINE V32 ToFloatToOdd(VI32 v) {
  const D32 d;
  const I32 di;
  VI32 lost;
  const V32 magnitude = hn::ConvertTo(d, HighestBits(hn::Abs(v), &lost));
  const auto sticky = hn::IfThenZeroElse(hn::Eq(lost, hn::Zero(di)), hn::Set(di, 1));
  const auto bits = hn::Or(hn::BitCast(di, magnitude), sticky);
  return hn::Or(hn::BitCast(d, bits), SignOf(hn::BitCast(d, v)));
}

/// To f16 and back, nearest even.
HWY_INLINE V32 RoundToHalf(const Rounder& r, V32 v) {
#if HWY_TARGET == HWY_AVX3
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

HWY_INLINE VI32 HalfOf(V16 e, std::size_t half) {
  const hn::Half<D16> h;
  return half == 0 ? hn::PromoteTo(I32(), hn::LowerHalf(h, e))
                   : hn::PromoteTo(I32(), hn::UpperHalf(h, e));
}

HWY_INLINE V32 PowerOfTwo(VI32 biased) {
  return hn::BitCast(D32(), hn::ShiftLeft<23>(biased));
}

/// What one step needs besides its leaves.
struct AlignedStep {
  const Arithmetic& arithmetic;
  const AlignedLanes& lanes;
  const Leafs<float>& leafs;
  const StepByReference& reference;
};

/// The steps of kRows rows and 2·Lanes columns, accumulators in registers throughout.
template <std::size_t kRows, AlignedLanes::Out kOut>
class AlignedTile {
 public:
  AlignedTile(const AlignedStep& step, std::size_t row, std::size_t column)
      : s_(step), row_(row), column_(column) {}

  HWY_INLINE void load(const float* acc, std::size_t stride) {
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t h = 0; h < 2; ++h)
        acc_[r][h] = hn::LoadU(D32(), acc + r * stride + h * hn::Lanes(D32()));
  }
  HWY_INLINE void store(float* acc, std::size_t stride) const {
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t h = 0; h < 2; ++h)
        hn::StoreU(acc_[r][h], D32(), acc + r * stride + h * hn::Lanes(D32()));
  }

  /// Leaves [first, first + count), count ≤ L.
  HWY_INLINE void step(std::size_t first, std::size_t count) {
    align(first, count);
    if constexpr (kOut == AlignedLanes::Out::general)
      convert_wide(first, count);
    else
      convert_narrow(first, count);
  }

  HWY_INLINE void clear() {
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t h = 0; h < 2; ++h) acc_[r][h] = hn::Zero(D32());
  }
  HWY_INLINE void add_to(AlignedTile& sum, const Rounder* rounder) const {
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t h = 0; h < 2; ++h) {
        const V32 x = hn::Add(sum.acc_[r][h], acc_[r][h]);
        sum.acc_[r][h] = rounder ? RoundToHalf(*rounder, x) : x;
      }
  }
  HWY_INLINE void round_after(const Rounder& rounder) {
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t h = 0; h < 2; ++h)
        acc_[r][h] = InDouble(acc_[r][h], [&](V64 v) { return ConvertLanes(rounder, v); });
  }

 private:
  const float* a(std::size_t r) const { return s_.leafs.a + (row_ + r) * s_.leafs.a_stride; }
  const std::int32_t* a_exponents(std::size_t r) const {
    return s_.leafs.a_exponents + (row_ + r) * s_.leafs.a_stride;
  }

  /// E of every lane, and which lanes are beyond this kernel.
  HWY_INLINE void align(std::size_t first, std::size_t count) {
    const I32 di;
    const D16 d16;
    V16 top[kRows];
    for (std::size_t r = 0; r < kRows; ++r) top[r] = hn::Set(d16, 2 * no_exponent);
    for (std::size_t i = first; i < first + count; ++i) {
      const V16 b = hn::LoadU(d16, s_.leafs.b_exponents[i] + column_);
      const std::uint32_t which = s_.leafs.which[i];
      for (std::size_t r = 0; r < kRows; ++r) {
        const V16 ea = hn::BitCast(d16, hn::Set(di, a_exponents(r)[which]));
        top[r] = hn::Max(top[r], hn::Add(b, ea));
      }
    }
    const auto middle = hn::Set(di, (s_.lanes.low + s_.lanes.high) / 2);
    const auto reach = hn::Set(di, (s_.lanes.high - s_.lanes.low) / 2);
    auto beyond = hn::Zero(di);
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t h = 0; h < 2; ++h) {
        const auto bits = hn::And(hn::BitCast(di, acc_[r][h]), hn::Set(di, 0x7fffffff));
        auto e = hn::Max(hn::Sub(hn::ShiftRight<23>(bits), hn::Set(di, 127)),
                         hn::Set(di, s_.lanes.acc_min_exponent));
        e = hn::IfThenElse(hn::Eq(bits, hn::Zero(di)), hn::Set(di, no_exponent), e);
        e = hn::Max(e, HalfOf(top[r], h));
        top_[r][h] = e;
        beyond = hn::Max(beyond, hn::Sub(hn::Abs(hn::Sub(e, middle)), reach));
      }
    beyond_ = !hn::AllFalse(di, hn::Gt(beyond, hn::Zero(di)));
    if (HWY_UNLIKELY(beyond_)) settle_zeros();
  }

  /// Lanes in which everything is zero are in no danger. Leaves beyond_ true if others are.
  void settle_zeros() {
    const I32 di;
    beyond_ = false;
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t h = 0; h < 2; ++h) {
        const auto zero = hn::Lt(top_[r][h], hn::Set(di, -4000));
        top_[r][h] = hn::IfThenElse(zero, hn::Set(di, s_.lanes.low), top_[r][h]);
        const auto bad = hn::Or(hn::Lt(top_[r][h], hn::Set(di, s_.lanes.low)),
                                hn::Gt(top_[r][h], hn::Set(di, s_.lanes.high)));
        bad_[r][h] = hn::VecFromMask(di, bad);
        beyond_ = beyond_ || !hn::AllFalse(di, bad);
      }
  }

  HWY_INLINE V32 scale(std::size_t r, std::size_t h) const {
    return PowerOfTwo(hn::Sub(hn::Set(I32(), 127 + s_.lanes.fraction_bits), top_[r][h]));
  }
  HWY_INLINE V32 inverse_scale(std::size_t r, std::size_t h) const {
    return PowerOfTwo(hn::Add(top_[r][h], hn::Set(I32(), 127 - s_.lanes.fraction_bits)));
  }

  /// Adds the integers of leaves [first, last).
  HWY_INLINE void add_products(VI32 (&sum)[kRows][2], const V32 (&scales)[kRows][2],
                               std::size_t first, std::size_t last) const {
    const D32 d;
    for (std::size_t i = first; i < last; ++i) {
      const V32 b0 = hn::LoadU(d, s_.leafs.b[i] + column_);
      const V32 b1 = hn::LoadU(d, s_.leafs.b[i] + column_ + hn::Lanes(d));
      const std::uint32_t which = s_.leafs.which[i];
      for (std::size_t r = 0; r < kRows; ++r) {
        const V32 x = hn::Set(d, a(r)[which]);
        sum[r][0] = hn::Add(sum[r][0], TruncateToInt(hn::Mul(hn::Mul(x, b0), scales[r][0])));
        sum[r][1] = hn::Add(sum[r][1], TruncateToInt(hn::Mul(hn::Mul(x, b1), scales[r][1])));
      }
    }
  }

  HWY_INLINE void convert_narrow(std::size_t first, std::size_t count) {
    const I32 di;
    V32 scales[kRows][2];
    VI32 sum[kRows][2];
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t h = 0; h < 2; ++h) {
        scales[r][h] = scale(r, h);
        sum[r][h] = hn::Zero(di);
      }
    add_products(sum, scales, first, first + count);
    // With the accumulator, less than 2^(F + 1), a sum may leave 32 bits only from here on.
    const std::int64_t f = s_.lanes.fraction_bits;
    const auto most =
        static_cast<std::int32_t>((std::int64_t{1} << 31) - 1 - (std::int64_t{2} << f));
    auto largest = hn::Zero(di);
    V32 result[kRows][2];
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t h = 0; h < 2; ++h) {
        largest = hn::Max(largest, hn::Abs(sum[r][h]));
        const auto total = hn::Add(sum[r][h], TruncateToInt(hn::Mul(acc_[r][h], scales[r][h])));
        if constexpr (kOut == AlignedLanes::Out::half) {
          result[r][h] =
              RoundToHalf(*s_.arithmetic.step, hn::Mul(ToFloatToOdd(total), inverse_scale(r, h)));
        } else {
          const V32 x = hn::Mul(ToFloatTowardZero(total), inverse_scale(r, h));
          result[r][h] = hn::And(x, hn::BitCast(D32(), hn::Set(U32(), s_.lanes.out_mask)));
        }
      }
    const bool large = !hn::AllFalse(di, hn::Gt(largest, hn::Set(di, most)));
    if (HWY_UNLIKELY(beyond_ || large)) {
      if (!beyond_)
        for (std::size_t r = 0; r < kRows; ++r)
          for (std::size_t h = 0; h < 2; ++h) bad_[r][h] = hn::Zero(di);
      for (std::size_t r = 0; r < kRows; ++r)
        for (std::size_t h = 0; h < 2; ++h)
          bad_[r][h] = hn::Or(bad_[r][h],
                              hn::VecFromMask(di, hn::Gt(hn::Abs(sum[r][h]), hn::Set(di, most))));
      by_reference(result, first, count);
    }
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t h = 0; h < 2; ++h) acc_[r][h] = result[r][h];
  }

  /// Sums beyond 32 bits and roundings that are no truncation: in double.
  HWY_INLINE void convert_wide(std::size_t first, std::size_t count) {
    const I32 di;
    const D64 d64;
    const auto widen = [&](VI32 v, std::size_t half) {
      const hn::Half<I32> h;
      return half == 0 ? hn::PromoteTo(d64, hn::LowerHalf(h, v))
                       : hn::PromoteTo(d64, hn::UpperHalf(h, v));
    };
    V32 scales[kRows][2];
    V64 total[kRows][2][2];
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t h = 0; h < 2; ++h) {
        scales[r][h] = scale(r, h);
        const VI32 acc = TruncateToInt(hn::Mul(acc_[r][h], scales[r][h]));
        for (std::size_t q = 0; q < 2; ++q) total[r][h][q] = widen(acc, q);
      }
    const auto group = static_cast<std::size_t>(s_.lanes.group);
    for (std::size_t i = 0; i < count; i += group) {
      VI32 sum[kRows][2];
      for (std::size_t r = 0; r < kRows; ++r)
        for (std::size_t h = 0; h < 2; ++h) sum[r][h] = hn::Zero(di);
      add_products(sum, scales, first + i, first + std::min(count, i + group));
      for (std::size_t r = 0; r < kRows; ++r)
        for (std::size_t h = 0; h < 2; ++h)
          for (std::size_t q = 0; q < 2; ++q)
            total[r][h][q] = hn::Add(total[r][h][q], widen(sum[r][h], q));
    }
    V32 result[kRows][2];
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t h = 0; h < 2; ++h) {
        const V32 back = inverse_scale(r, h);
        V64 half[2];
        for (std::size_t q = 0; q < 2; ++q)
          half[q] = RoundLanes(*s_.arithmetic.step, hn::Mul(total[r][h][q], Widen(d64, back, q)));
        result[r][h] = Narrow(half[0], half[1]);
      }
    if (HWY_UNLIKELY(beyond_)) by_reference(result, first, count);
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t h = 0; h < 2; ++h) acc_[r][h] = result[r][h];
  }

  HWY_NOINLINE void by_reference(V32 (&result)[kRows][2], std::size_t first, std::size_t count) {
    const D32 d;
    const I32 di;
    constexpr std::size_t lanes = hn::MaxLanes(D32());
    HWY_ALIGN float before[lanes], after[lanes];
    HWY_ALIGN std::int32_t bad[lanes];
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t h = 0; h < 2; ++h) {
        hn::Store(bad_[r][h], di, bad);
        hn::Store(acc_[r][h], d, before);
        hn::Store(result[r][h], d, after);
        for (std::size_t i = 0; i < hn::Lanes(d); ++i)
          if (bad[i] != 0)
            after[i] = s_.reference.step(s_.reference.context, row_ + r,
                                         column_ + h * hn::Lanes(d) + i, first, count, before[i]);
        result[r][h] = hn::Load(d, after);
      }
  }

  const AlignedStep& s_;
  std::size_t row_, column_;
  V32 acc_[kRows][2];
  VI32 top_[kRows][2];  ///< E
  VI32 bad_[kRows][2];  ///< set where beyond_
  bool beyond_ = false;
};

template <std::size_t kRows, AlignedLanes::Out kOut>
HWY_INLINE void AlignedRows(const AlignedStep& s, const Block<float>& block, std::size_t row,
                            std::size_t column) {
  const auto width = static_cast<std::size_t>(s.lanes.addends);
  float* at = block.acc + row * block.stride + column;
  AlignedTile<kRows, kOut> tile(s, row, column);
  tile.load(at, block.stride);
  const Rounder* after = s.arithmetic.after ? &*s.arithmetic.after : nullptr;
  if (s.arithmetic.kernel == Arithmetic::Kernel::split) {
    const auto instruction = static_cast<std::size_t>(s.arithmetic.unit.addends);
    const Rounder* add =
        s.arithmetic.unit.format == formats::f32 ? nullptr : &*s.arithmetic.product;
    for (std::size_t i = 0; i < s.leafs.count; i += instruction) {
      AlignedTile<kRows, kOut> products(s, row, column);
      products.clear();
      for (std::size_t j = 0; j < instruction; j += width) products.step(i + j, width);
      products.add_to(tile, add);
      if (after) tile.round_after(*after);
    }
  } else {
    for (std::size_t i = 0; i < s.leafs.count; i += width) {
      tile.step(i, std::min(width, s.leafs.count - i));
      if (after) tile.round_after(*after);
    }
  }
  tile.store(at, block.stride);
}

/// As many rows at a time as registers hold.
constexpr std::size_t kAlignedRows = HWY_TARGET == HWY_AVX3 ? 4 : 2;

template <AlignedLanes::Out kOut>
void AlignedAll(const AlignedStep& s, const Block<float>& block) {
  constexpr std::size_t rows = kOut == AlignedLanes::Out::general ? 1 : kAlignedRows;
  for (std::size_t c = 0; c < block.columns; c += 2 * hn::Lanes(D32())) {
    std::size_t r = 0;
    for (; r + rows <= block.rows; r += rows) AlignedRows<rows, kOut>(s, block, r, c);
    for (; r < block.rows; ++r) AlignedRows<1, kOut>(s, block, r, c);
  }
}

void Aligned(const Arithmetic& arithmetic, const Leafs<float>& leafs, const Block<float>& block,
             const StepByReference& reference) {
  const AlignedStep step{arithmetic, *arithmetic.aligned, leafs, reference};
  switch (arithmetic.aligned->out) {
    case AlignedLanes::Out::truncate:
      return AlignedAll<AlignedLanes::Out::truncate>(step, block);
    case AlignedLanes::Out::half:
      return AlignedAll<AlignedLanes::Out::half>(step, block);
    case AlignedLanes::Out::general:
      return AlignedAll<AlignedLanes::Out::general>(step, block);
  }
}

}  // namespace whybits::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
