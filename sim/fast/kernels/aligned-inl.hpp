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

#include <algorithm>
#include <type_traits>

#include "sim/fast/kernels/rounding-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whybits::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D16 = hn::ScalableTag<std::int16_t>;
using V16 = hn::Vec<D16>;

/// Float to integer, toward zero, for values that fit. (ConvertTo would also saturate.)
HWY_INLINE VI32 TruncateToInt(V32 v) {
#if HWY_TARGET <= HWY_AVX3
  return VI32{_mm512_cvttps_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
  return VI32{_mm256_cvttps_epi32(v.raw)};
#else
  return hn::ConvertTo(I32(), v);
#endif
}

/// Nothing, but compilers that would add first what comes last, and run out of registers, do not.
HWY_INLINE void KeepOrder([[maybe_unused]] VI32& sum) {
#if HWY_ARCH_X86 && defined(__GNUC__)
  asm("" : "+v"(sum.raw));
#endif
}

/// Clears the bits of a magnitude below its 24 highest; they go to `lost`.
HWY_INLINE VI32 HighestBits(VI32 magnitude, VI32* lost) {
  auto below = hn::ShiftRight<24>(magnitude);
  below = hn::Or(below, hn::ShiftRight<1>(below));
  below = hn::Or(below, hn::ShiftRight<2>(below));
  below = hn::Or(below, hn::ShiftRight<4>(below));
  *lost = hn::And(magnitude, below);
  return hn::AndNot(below, magnitude);
}

/// Integer to float, toward zero.
HWY_INLINE V32 ToFloatTowardZero(VI32 v) {
#if HWY_TARGET <= HWY_AVX3
  return V32{_mm512_cvt_roundepi32_ps(v.raw, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)};
#elif HWY_TARGET == HWY_AVX2
  // To nearest, and a place less where that is more; 2^31 becomes −2^31, which is more as well.
  const V32 nearest = hn::ConvertTo(D32(), v);
  const VI32 rest = hn::Sub(v, TruncateToInt(nearest));
  const VI32 less = hn::BroadcastSignBit(VI32{_mm256_sign_epi32(rest.raw, v.raw)});
  return hn::BitCast(D32(), hn::Add(hn::BitCast(I32(), nearest), less));
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

/// A step that comes to zero comes to +0, also when its conversion took a negative sum there.
HWY_INLINE V32 PositiveZero(V32 v) {
  return hn::Add(v, hn::Zero(D32()));
}

/// With the accumulator, less than 2^(F + 1), a sum of integers may leave 32 bits only from here.
inline std::int32_t MostSum(const AlignedLanes& lanes) {
  return static_cast<std::int32_t>((std::int64_t{1} << 31) - 1 -
                                   (std::int64_t{2} << lanes.fraction_bits));
}

HWY_INLINE V32 PowerOfTwo(VI32 biased) {
  return hn::BitCast(D32(), hn::ShiftLeft<23>(biased));
}

/// How a pair of float vectors, 2·Lanes columns, is read. Columns lie in their order: the first
/// vector has the first half.
struct OrderedColumns {
  static HWY_INLINE void load(const float* from, V32& x, V32& y) {
    x = hn::LoadU(D32(), from);
    y = hn::LoadU(D32(), from + hn::Lanes(D32()));
  }
  static HWY_INLINE void store(V32 x, V32 y, float* to) {
    hn::StoreU(x, D32(), to);
    hn::StoreU(y, D32(), to + hn::Lanes(D32()));
  }
  /// Vector h of a pair of 16-bit lanes.
  static HWY_INLINE VI32 half(V16 e, std::size_t h) {
    const hn::Half<D16> d;
    return h == 0 ? hn::PromoteTo(I32(), hn::LowerHalf(d, e))
                  : hn::PromoteTo(I32(), hn::UpperHalf(d, e));
  }
  /// Column of a lane of vector v, counted from the block's first.
  static std::size_t column(std::size_t v, std::size_t lane) { return v * hn::Lanes(D32()) + lane; }
};

/// Columns decoded before: values and exponents.
struct DecodedColumns : OrderedColumns {
  static HWY_INLINE V16 exponents(const Leafs<float>& leafs, std::size_t i, std::size_t column,
                                  std::uint16_t*) {
    return hn::LoadU(D16(), leafs.b_exponents[i] + column);
  }
  static HWY_INLINE void values(const Leafs<float>& leafs, std::size_t i, std::size_t column,
                                const std::uint16_t*, V32& x, V32& y) {
    load(leafs.b[i] + column, x, y);
  }
};

HWY_INLINE const std::uint16_t* WordsAt(const Leafs<float>& leafs, std::size_t i,
                                        std::size_t column) {
  return reinterpret_cast<const std::uint16_t*>(leafs.words[i]) + column;
}

/// Words of one step are read from memory once, for exponents, and kept beside each other for
/// values: rows of a matrix fall on few sets of the first cache, and would drive each other out.
/// What comes next is asked for in time, into the second cache.
HWY_INLINE hn::Vec<hn::RebindToUnsigned<D16>> ReadWords(const std::uint16_t* from,
                                                        std::uint16_t* copy) {
  const hn::RebindToUnsigned<D16> d;
#if defined(__GNUC__)
  __builtin_prefetch(from + 8 * hn::Lanes(d), 0, 2);
#endif
  const auto words = hn::LoadU(d, from);
  hn::StoreU(words, d, copy);
  return words;
}

/// Columns as 16-bit words of a format, decoded in registers: for few rows.
template <class Words>
struct WordColumns : OrderedColumns {
  static HWY_INLINE V16 exponents(const Leafs<float>& leafs, std::size_t i, std::size_t column,
                                  std::uint16_t* copy) {
    constexpr Format format = Words::format;
    const D16 d;
    const auto code = hn::BitCast(d, ReadWords(WordsAt(leafs, i, column), copy));
    const auto magnitude = hn::And(code, hn::Set(d, 0x7fff));
    const auto field = hn::ShiftRight<format.fraction_bits>(magnitude);
    auto e = hn::Sub(hn::Max(field, hn::Set(d, 1)), hn::Set(d, format.bias()));
    e = hn::IfThenElse(hn::Eq(magnitude, hn::Zero(d)), hn::Set(d, no_exponent), e);
    return hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, format.max_finite())),
                          hn::Set(d, special_exponent), e);
  }
  static HWY_INLINE void values(const Leafs<float>&, std::size_t, std::size_t,
                                const std::uint16_t* copy, V32& x, V32& y) {
    x = Words::value(copy);
    y = Words::value(copy + hn::Lanes(D32()));
  }
};

struct Bf16Words {
  static constexpr Format format = formats::bf16;
  static HWY_INLINE V32 value(const std::uint16_t* from) {
    const hn::Rebind<std::uint16_t, D32> half;
    return hn::BitCast(D32(), hn::ShiftLeft<16>(hn::PromoteTo(U32(), hn::LoadU(half, from))));
  }
};
struct F16Words {
  static constexpr Format format = formats::f16;
  static HWY_INLINE V32 value(const std::uint16_t* from) {
#if HWY_TARGET <= HWY_AVX3
    return V32{_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)))};
#elif HWY_TARGET == HWY_AVX2
    return V32{_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)))};
#else
    const hn::Rebind<std::uint16_t, D32> half;
    const auto word = hn::PromoteTo(U32(), hn::LoadU(half, from));
    const auto magnitude = hn::ShiftLeft<13>(hn::And(word, hn::Set(U32(), 0x7fff)));
    const auto sign = hn::ShiftLeft<16>(hn::And(word, hn::Set(U32(), 0x8000)));
    // 2^112 takes f16's bias to float's. Infinities and NaN need not be right here.
    const auto value = hn::Mul(hn::BitCast(D32(), magnitude), hn::Set(D32(), 0x1p112f));
    return hn::Or(value, hn::BitCast(D32(), sign));
#endif
  }
};

/// A block of kRows rows and kVectors float vectors, and what its steps read.
template <std::size_t kRows, std::size_t kVectors, class Columns>
struct AlignedTile {
  using Floats = V32[kRows][kVectors];
  using Integers = VI32[kRows][kVectors];
  static constexpr std::size_t most_lanes = hn::MaxLanes(D32());
  /// Lanes in memory, for what is rare.
  struct Memory {
    HWY_ALIGN float acc[kRows][kVectors][most_lanes];
    HWY_ALIGN float result[kRows][kVectors][most_lanes];
    HWY_ALIGN std::int32_t sum[kRows][kVectors][most_lanes];
  };

  const Arithmetic& arithmetic;
  const AlignedLanes& lanes;
  const Leafs<float>& leafs;
  const StepByReference& reference;
  std::size_t row, column;
  std::uint16_t* words;  ///< of one step: most_word_leaves × kVectors · Lanes; null if decoded

  std::uint16_t* copy(std::size_t leaf, std::size_t v) const {
    return words == nullptr ? nullptr : words + (leaf * kVectors + v) * hn::Lanes(D32());
  }
  std::size_t at(std::size_t v) const { return column + v * hn::Lanes(D32()); }
  const float* a(std::size_t r) const { return leafs.a + (row + r) * leafs.a_stride; }
  const std::int32_t* a_exponents(std::size_t r) const {
    return leafs.a_exponents + (row + r) * leafs.a_stride;
  }
  int low() const { return lanes.low + exponent_bias; }
  int high() const { return lanes.high + exponent_bias; }

  /// The largest exponent among the products of leaves [first, last), biased.
  HWY_INLINE void products_top(std::size_t first, std::size_t last,
                               V16 (&top)[kRows][kVectors / 2]) const {
    const I32 di;
    const D16 d16;
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
      for (std::size_t p = 0; p < kVectors / 2; ++p) top[r][p] = hn::Set(d16, 2 * no_exponent);
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t which = leafs.which[i];
      V16 b[kVectors / 2];
#pragma GCC unroll 8
      for (std::size_t p = 0; p < kVectors / 2; ++p)
        b[p] = Columns::exponents(leafs, i, at(2 * p), copy(i - first, 2 * p));
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kRows; ++r) {
        const V16 ea = hn::BitCast(d16, hn::Set(di, a_exponents(r)[which]));
#pragma GCC unroll 8
        for (std::size_t p = 0; p < kVectors / 2; ++p)
          top[r][p] = hn::Max(top[r][p], hn::Add(b[p], ea));
      }
    }
  }

  /// The accumulator's own exponent, biased; of zero no_exponent.
  HWY_INLINE VI32 acc_exponent(V32 acc) const {
    const I32 di;
    const auto bits = hn::ShiftLeft<1>(hn::BitCast(di, acc));
    const auto field = hn::BitCast(di, hn::ShiftRight<24>(hn::BitCast(U32(), bits)));
    const auto e = hn::Max(field, hn::Set(di, lanes.acc_min_exponent + exponent_bias));
    return hn::IfThenElse(hn::Eq(bits, hn::Zero(di)), hn::Set(di, no_exponent), e);
  }

  /// Adds the integers of leaves [first, last).
  HWY_INLINE void add_products(Integers& sum, const Floats& scales, std::size_t step_first,
                               std::size_t first, std::size_t last) const {
    const D32 d;
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t which = leafs.which[i];
      V32 b[kVectors];
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kVectors; v += 2)
        Columns::values(leafs, i, at(v), copy(i - step_first, v), b[v], b[v + 1]);
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kRows; ++r) {
        const V32 x = hn::Set(d, a(r)[which]);
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v)
          sum[r][v] = hn::Add(sum[r][v], TruncateToInt(hn::Mul(hn::Mul(x, b[v]), scales[r][v])));
      }
    }
  }

  /// One step, leaves [first, first + count), count ≤ L.
  template <AlignedLanes::Out kOut>
  HWY_INLINE void step(Floats& acc, std::size_t first, std::size_t count) const {
    const I32 di;
    V16 top[kRows][kVectors / 2];
    products_top(first, first + count, top);
    Integers e;
    auto highest = hn::Set(di, 2 * no_exponent);
    auto lowest = hn::Set(di, 2 * special_exponent);
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kVectors; ++v) {
        // Where E ≥ low, f32's own subnormals and zero need no care.
        const VI32 own =
            kOut == AlignedLanes::Out::truncate
                ? hn::BitCast(di, hn::ShiftRight<24>(hn::BitCast(
                                      U32(), hn::ShiftLeft<1>(hn::BitCast(di, acc[r][v])))))
                : acc_exponent(acc[r][v]);
        const auto raw = hn::Max(own, Columns::half(top[r][v / 2], v % 2));
        highest = hn::Max(highest, raw);
        lowest = hn::Min(lowest, raw);
        e[r][v] = hn::Max(raw, hn::Set(di, low()));
      }
    const bool beyond = !hn::AllFalse(
        di, hn::Or(hn::Gt(highest, hn::Set(di, high())), hn::Gt(hn::Set(di, low()), lowest)));
    Floats scales;
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kVectors; ++v)
        scales[r][v] =
            PowerOfTwo(hn::Sub(hn::Set(di, 2 * exponent_bias + lanes.fraction_bits), e[r][v]));
    if constexpr (kOut == AlignedLanes::Out::general)
      convert_wide(acc, e, scales, first, count, beyond);
    else
      convert_narrow<kOut>(acc, e, scales, first, count, beyond);
  }

  HWY_INLINE V32 inverse_scale(VI32 e) const {
    return PowerOfTwo(hn::Sub(e, hn::Set(I32(), lanes.fraction_bits)));
  }

  template <AlignedLanes::Out kOut>
  HWY_INLINE void convert_narrow(Floats& acc, const Integers& e, const Floats& scales,
                                 std::size_t first, std::size_t count, bool beyond) const {
    const I32 di;
    Integers sum;
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(di);
    add_products(sum, scales, first, first, first + count);
    auto largest = hn::Zero(di);
    Floats result;
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kVectors; ++v) {
        largest = hn::Max(largest, hn::Abs(sum[r][v]));
        const auto total = hn::Add(sum[r][v], TruncateToInt(hn::Mul(acc[r][v], scales[r][v])));
        if constexpr (kOut == AlignedLanes::Out::half)
          result[r][v] = PositiveZero(
              RoundToHalf(*arithmetic.step, hn::Mul(ToFloatToOdd(total), inverse_scale(e[r][v]))));
        else
          result[r][v] = hn::And(hn::Mul(ToFloatTowardZero(total), inverse_scale(e[r][v])),
                                 hn::BitCast(D32(), hn::Set(U32(), lanes.out_mask)));
      }
    const bool large = !hn::AllFalse(di, hn::Gt(largest, hn::Set(di, MostSum(lanes))));
    if (HWY_UNLIKELY(beyond || large)) repair(acc, sum, result, first, count);
    assign(acc, result);
  }

  /// Sums beyond 32 bits and roundings that are no truncation: in double.
  HWY_INLINE void convert_wide(Floats& acc, const Integers& e, const Floats& scales,
                               std::size_t first, std::size_t count, bool beyond) const {
    const I32 di;
    const D64 d64;
    const auto widen = [&](VI32 v, std::size_t half) {
      const hn::Half<I32> h;
      return half == 0 ? hn::PromoteTo(d64, hn::LowerHalf(h, v))
                       : hn::PromoteTo(d64, hn::UpperHalf(h, v));
    };
    V64 total[kRows][kVectors][2];
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t v = 0; v < kVectors; ++v) {
        const VI32 own = TruncateToInt(hn::Mul(acc[r][v], scales[r][v]));
        for (std::size_t q = 0; q < 2; ++q) total[r][v][q] = widen(own, q);
      }
    const auto group = static_cast<std::size_t>(lanes.group);
    Integers sum;
    for (std::size_t i = 0; i < count; i += group) {
      for (std::size_t r = 0; r < kRows; ++r)
        for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(di);
      add_products(sum, scales, first, first + i, first + std::min(count, i + group));
      for (std::size_t r = 0; r < kRows; ++r)
        for (std::size_t v = 0; v < kVectors; ++v)
          for (std::size_t q = 0; q < 2; ++q)
            total[r][v][q] = hn::Add(total[r][v][q], widen(sum[r][v], q));
    }
    Floats result;
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t v = 0; v < kVectors; ++v) {
        const V32 back = inverse_scale(e[r][v]);
        V64 half[2];
        for (std::size_t q = 0; q < 2; ++q)
          half[q] = RoundLanes(*arithmetic.step, hn::Mul(total[r][v][q], Widen(d64, back, q)));
        result[r][v] = PositiveZero(Narrow(half[0], half[1]));
        sum[r][v] = hn::Zero(di);
      }
    if (HWY_UNLIKELY(beyond)) repair(acc, sum, result, first, count);
    assign(acc, result);
  }

  static HWY_INLINE void assign(Floats& to, const Floats& from) {
#pragma GCC unroll 8
    for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kVectors; ++v) to[r][v] = from[r][v];
  }

  HWY_INLINE void repair(const Floats& acc, const Integers& sum, Floats& result, std::size_t first,
                         std::size_t count) const {
    Memory m;
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t v = 0; v < kVectors; ++v) {
        hn::Store(acc[r][v], D32(), m.acc[r][v]);
        hn::Store(sum[r][v], I32(), m.sum[r][v]);
        hn::Store(result[r][v], D32(), m.result[r][v]);
      }
    by_reference(m, first, count);
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t v = 0; v < kVectors; ++v) result[r][v] = hn::Load(D32(), m.result[r][v]);
  }

  /// Lanes for which this kernel is not right. Those in which everything is zero are in no danger:
  /// their sum is +0 on every grid. An infinity takes finite products without a change, and NaN
  /// takes all: most lanes that overflow stay there for many steps.
  HWY_NOINLINE void by_reference(Memory& m, std::size_t first, std::size_t count) const {
    const I32 di;
    V16 top[kRows][kVectors / 2];
    products_top(first, first + count, top);
    HWY_ALIGN std::int32_t bad[most_lanes];
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t v = 0; v < kVectors; ++v) {
        const V32 acc = hn::Load(D32(), m.acc[r][v]);
        const auto products = Columns::half(top[r][v / 2], v % 2);
        const auto e = hn::Max(acc_exponent(acc), products);
        const auto magnitude = hn::BitCast(di, hn::Abs(acc));
        const auto infinity = hn::Set(di, 0x7f800000);
        const auto stays =
            hn::Or(hn::Gt(magnitude, infinity),
                   hn::AndNot(hn::Gt(products, hn::Set(di, high())), hn::Eq(magnitude, infinity)));
        const auto keep = hn::RebindMask(D32(), stays);
        hn::Store(hn::IfThenElse(keep, acc, hn::Load(D32(), m.result[r][v])), D32(),
                  m.result[r][v]);
        const auto small =
            hn::And(hn::Gt(hn::Set(di, low()), e), hn::Gt(e, hn::Set(di, no_exponent / 2)));
        const auto large = hn::Gt(hn::Abs(hn::Load(di, m.sum[r][v])), hn::Set(di, MostSum(lanes)));
        const auto any =
            hn::AndNot(stays, hn::Or(hn::Or(small, hn::Gt(e, hn::Set(di, high()))), large));
        if (hn::AllFalse(di, any)) continue;
        hn::Store(hn::VecFromMask(di, any), di, bad);
        for (std::size_t i = 0; i < hn::Lanes(di); ++i)
          if (bad[i] != 0)
            m.result[r][v][i] =
                reference.step(reference.context, row + r, column + Columns::column(v, i), first,
                               count, m.acc[r][v][i]);
      }
  }
};

/// The steps of leaves [first, last) of a tile, accumulators in registers.
template <std::size_t kRows, std::size_t kVectors, AlignedLanes::Out kOut, class Columns>
HWY_INLINE void AlignedRows(const AlignedTile<kRows, kVectors, Columns>& tile,
                            const Block<float>& block, std::size_t first, std::size_t last) {
  using Floats = typename AlignedTile<kRows, kVectors, Columns>::Floats;
  const D32 d;
  const Arithmetic& f = tile.arithmetic;
  const auto width = static_cast<std::size_t>(f.aligned->addends);
  float* at = block.acc + tile.row * block.stride + tile.column;
  Floats acc;
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; v += 2)
      Columns::load(at + r * block.stride + v * hn::Lanes(d), acc[r][v], acc[r][v + 1]);
  const auto after = [&] {
    if (!f.after) return;
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t v = 0; v < kVectors; ++v) acc[r][v] = ConvertFloats(*f.after, acc[r][v]);
  };
  if (f.kernel == Arithmetic::Kernel::split) {
    const auto instruction = static_cast<std::size_t>(f.unit.addends);
    const bool half = f.unit.format != formats::f32;
    for (std::size_t i = first; i < last; i += instruction) {
      Floats products;
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v) products[r][v] = hn::Zero(d);
      for (std::size_t j = 0; j < instruction; j += width)
        tile.template step<kOut>(products, i + j, width);
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
        for (std::size_t v = 0; v < kVectors; ++v) {
          acc[r][v] = hn::Add(acc[r][v], products[r][v]);
          if (half) acc[r][v] = RoundToHalf(*f.product, acc[r][v]);
        }
      after();
    }
  } else {
    for (std::size_t i = first; i < last; i += width) {
      tile.template step<kOut>(acc, i, std::min(width, last - i));
      after();
    }
  }
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; v += 2)
      Columns::store(acc[r][v], acc[r][v + 1], at + r * block.stride + v * hn::Lanes(d));
}

/// Leaves [first, last) of one row's columns from `column` on, with 2 · Lanes · kPairs of them.
template <std::size_t kPairs, AlignedLanes::Out kOut, class Columns>
HWY_INLINE void AlignedRow(const Arithmetic& f, const Leafs<float>& leafs,
                           const Block<float>& block, const StepByReference& reference,
                           std::size_t row, std::size_t column, std::size_t first,
                           std::size_t last) {
  constexpr bool decoded = std::is_same_v<Columns, DecodedColumns>;
  HWY_ALIGN std::uint16_t words[decoded ? 1 : most_word_leaves * 2 * kPairs * hn::MaxLanes(D32())];
  AlignedRows<1, 2 * kPairs, kOut, Columns>(
      {f, *f.aligned, leafs, reference, row, column, decoded ? nullptr : words}, block, first,
      last);
}

/// From leaf `begin` on.
template <AlignedLanes::Out kOut, class Columns>
void AlignedAll(const Arithmetic& f, const Leafs<float>& leafs, const Block<float>& block,
                const StepByReference& reference, std::size_t begin) {
  // As many accumulators, scales and temporaries as registers hold.
  constexpr bool decoded = std::is_same_v<Columns, DecodedColumns>;
  constexpr std::size_t rows = kOut == AlignedLanes::Out::general ? 1
                               : HWY_TARGET <= HWY_AVX3           ? 4
                                                                  : 2;
  constexpr std::size_t one_row_pairs = 2;
  const std::size_t lanes = hn::Lanes(D32());
  // Columns outside: their leaves stay in the first cache for all rows.
  const std::size_t blocked = rows > 1 && decoded ? block.rows / rows * rows : 0;
  if constexpr (rows > 1 && decoded)
    for (std::size_t c = 0; c < block.columns; c += 2 * lanes)
      for (std::size_t r = 0; r < blocked; r += rows)
        AlignedRows<rows, 2, kOut, Columns>({f, *f.aligned, leafs, reference, r, c, nullptr}, block,
                                            begin, leafs.count);
  // Words are read where they lie, which is far apart from leaf to leaf: a step of them at a time.
  const std::size_t most = decoded ? leafs.count : static_cast<std::size_t>(f.unit.addends);
  for (std::size_t first = begin; first < leafs.count; first += most)
    for (std::size_t c = 0; c < block.columns; c += 2 * one_row_pairs * lanes)
      for (std::size_t r = blocked; r < block.rows; ++r)
        AlignedRow<one_row_pairs, kOut, Columns>(f, leafs, block, reference, r, c, first,
                                                 std::min(first + most, leafs.count));
}

template <class Columns>
void AlignedBy(const Arithmetic& f, const Leafs<float>& leafs, const Block<float>& block,
               const StepByReference& reference, std::size_t begin = 0) {
  switch (f.aligned->out) {
    case AlignedLanes::Out::truncate:
      return AlignedAll<AlignedLanes::Out::truncate, Columns>(f, leafs, block, reference, begin);
    case AlignedLanes::Out::half:
      return AlignedAll<AlignedLanes::Out::half, Columns>(f, leafs, block, reference, begin);
    case AlignedLanes::Out::general:
      return AlignedAll<AlignedLanes::Out::general, Columns>(f, leafs, block, reference, begin);
  }
}

}  // namespace whybits::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
