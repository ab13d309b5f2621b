// Left folds on lanes: one accumulator an output, leaves in order, k never reordered.
#if defined(WHYBITS_FOLD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHYBITS_FOLD_INL
#undef WHYBITS_FOLD_INL
#else
#define WHYBITS_FOLD_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "sim/fast/kernels/decode-inl.hpp"
#include "sim/fast/kernels/rounding-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whybits::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Highway's MulAdd is fused only where the processor has it.
constexpr bool kHasFma = HWY_TARGET == HWY_AVX2 || HWY_TARGET <= HWY_AVX3;

/// What follows the lane's own step.
struct NoRounding {
  template <class V>
  HWY_INLINE V operator()(V v) const {
    return v;
  }
};
// To f32's exponents with fewer fraction bits, nearest even, in the lane's own steps. Right of
// zeros and of normal numbers while v·2^s is finite, where s bits are dropped.

/// t + 2^s·v with t = (1 − 2^s)·v: the rounding of t has the last place that is wanted, and a tie
/// leaves 2^s·v even, which decides nothing. From 13 bits on, where a last place of half the size,
/// which t has beside a power of two, rounds to that power. −0 becomes +0.
class ShiftRounding {
 public:
  static constexpr int least_dropped = 13;

  explicit ShiftRounding(int fraction_bits)
      : scale_(hn::Set(D32(), static_cast<float>(1 << (23 - fraction_bits)))),
        less_(hn::Set(D32(), 1.0f - static_cast<float>(1 << (23 - fraction_bits)))),
        up_(hn::Set(I32(), (23 - fraction_bits) << 23)) {}
  /// The scaled number by an add to its exponent: some processors add and multiply side by side.
  HWY_INLINE V32 operator()(V32 v) const {
    const V32 scaled = hn::BitCast(D32(), hn::Add(hn::BitCast(I32(), v), up_));
    return hn::Add(hn::Sub(v, scaled), scaled);
  }
  HWY_INLINE V32 multiplied(V32 v) const { return hn::MulAdd(v, scale_, hn::Mul(v, less_)); }

 private:
  V32 scale_, less_;
  VI32 up_;
};

/// Veltkamp's split, t − (t − v) with t = (2^s + 1)·v: of any number of bits.
struct SplitRounding {
  V32 factor;
  explicit SplitRounding(int fraction_bits)
      : factor(hn::Set(D32(), static_cast<float>((1 << (23 - fraction_bits)) + 1))) {}
  HWY_INLINE V32 operator()(V32 v) const {
    const V32 t = hn::Mul(v, factor);
    return hn::Sub(t, hn::Sub(t, v));
  }
};

/// Of every five accumulators those with a bit here multiply, so that a processor's units for
/// multiplying and for adding have about as much to do.
template <unsigned kMultiplied, class Rounding>
HWY_INLINE V32 RoundAt(const Rounding& rounding, V32 v, std::size_t place) {
  if constexpr (kHasFma && std::is_same_v<Rounding, ShiftRounding>)
    if ((kMultiplied >> place % 5 & 1) != 0) return rounding.multiplied(v);
  return rounding(v);
}
template <unsigned kMultiplied, class Rounding>
HWY_INLINE V64 RoundAt(const Rounding& rounding, V64 v, std::size_t /*place*/) {
  return rounding(v);
}

struct BrainRounding {
  int fraction_bits;
  HWY_INLINE V32 operator()(V32 v) const { return RoundToBrain(fraction_bits, v); }
};
struct HalfRounding {
  const Rounder& rounder;
  HWY_INLINE V32 operator()(V32 v) const { return RoundToHalf(rounder, v); }
};

/// Calls function(rounding) with the rounding of an arithmetic's steps.
template <class T, class Function>
HWY_INLINE void WithRounding(const Arithmetic& f, Function function) {
  if constexpr (sizeof(T) == 4)
    if (f.post) {
      if (f.post->shortcut == Shortcut::half) return function(HalfRounding{*f.post});
      return function(BrainRounding{f.post->fraction_bits});
    }
  function(NoRounding());
}

/// Whether every sum that a fold comes by is zero or normal and far from overflow, if its first
/// accumulators are (BeginsWell). A few rows do not pay for looking at the columns.
///
/// Below: a product's last place is at least 2^46 times smaller than the least product, here a
/// multiple of 2^-126. Sums of such products and of accumulators from 2^-103 on are multiples of it
/// as well; smaller accumulators stay what they are or vanish beside a product. Above: no rounding
/// to 22 bits or fewer leaves [−2^100, 2^100] by an addend below 2^76.
HWY_INLINE bool SumsStayNormal(const Leafs<float>& leafs, const Block<float>& block) {
  constexpr int least_product = -126 + 46, most_product = 76;
  constexpr std::size_t few = 4;
  if (block.rows < few) return false;
  const D32 d;
  MagnitudeRange range;
  for (std::size_t i = 0; i < leafs.count; ++i)
    for (std::size_t c = 0; c < block.columns; c += hn::Lanes(d))
      range.take(hn::LoadU(d, leafs.b[i] + c));
  const ExponentRange a = leafs.a_range, b = range.exponents();
  return a.least + b.least >= least_product && a.most + b.most + 2 <= most_product &&
         std::max(a.most, b.most) < any_exponents.most;
}

template <std::size_t kRows, std::size_t kVectors>
HWY_INLINE bool BeginsWell(const V32 (&acc)[kRows][kVectors]) {
  constexpr std::uint32_t least_normal = 1u << 23;
  constexpr std::int32_t largest = (127 + 100) << 23;
  const I32 di;
  const U32 du;
  auto least_less_one = hn::Set(du, ~std::uint32_t{0});  // zeros become the largest words
  auto most = hn::Zero(di);
#pragma GCC unroll 16
  for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto magnitude = hn::And(hn::BitCast(du, acc[r][v]), hn::Set(du, 0x7fffffffu));
      least_less_one = hn::Min(least_less_one, hn::Sub(magnitude, hn::Set(du, 1)));
      most = hn::Max(most, hn::BitCast(di, magnitude));
    }
  return hn::AllFalse(du, hn::Lt(least_less_one, hn::Set(du, least_normal - 1))) &&
         hn::AllFalse(di, hn::Gt(most, hn::Set(di, largest)));
}

/// Whether is(v) holds of a lane of one of the accumulators.
template <std::size_t kRows, std::size_t kVectors, class Is>
HWY_INLINE bool AnyOf(const V32 (&acc)[kRows][kVectors], Is is) {
  auto found = is(acc[0][0]);
#pragma GCC unroll 16
  for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v) found = hn::Or(found, is(acc[r][v]));
  return !hn::AllFalse(hn::DFromV<decltype(hn::VecFromMask(found))>(), found);
}

/// How an accumulator takes a product. `place` numbers the accumulators of a tile.
template <class Rounding>
struct FusedProducts {
  Rounding rounding;
  template <class V>
  HWY_INLINE V operator()(V acc, V a, V b, std::size_t place) const {
    return RoundAt<0b00101>(rounding, hn::MulAdd(a, b, acc), place);
  }
  template <class V>
  HWY_INLINE V first(V a, V b) const {
    return hn::Mul(a, b);
  }
};
template <class Rounding>
struct RoundedProducts {
  Rounding rounding;
  template <class V>
  HWY_INLINE V operator()(V acc, V a, V b, std::size_t place) const {
    return RoundAt<0b10101>(rounding, hn::Add(acc, hn::Mul(a, b)), place);
  }
  template <class V>
  HWY_INLINE V sum(V acc, V x) const {
    return rounding(hn::Add(acc, x));
  }
  template <class V>
  HWY_INLINE V first(V a, V b) const {
    return hn::Mul(a, b);
  }
};

/// kRows × kVectors accumulators stay in registers over all leaves. kNormal: of a take that is
/// right while sums stay normal; false, and nothing is stored, if the accumulators do not begin so.
template <std::size_t kRows, std::size_t kVectors, bool kNormal, class T, class Take>
HWY_INLINE bool FoldTile(const Leafs<T>& leafs, const Block<T>& block, std::size_t row,
                         std::size_t column, Take take) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  V acc[kRows][kVectors];
  T* at = block.acc + row * block.stride + column;
  const T* a0 = leafs.a + row * leafs.a_stride;
  const bool copied = leafs.first_is_copied;
  const T* b0 = leafs.b[0] + column;
#pragma GCC unroll 16
  for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v)
      acc[r][v] = copied ? take.first(hn::Set(d, a0[r * leafs.a_stride + leafs.which[0]]),
                                      hn::LoadU(d, b0 + v * lanes))
                         : hn::LoadU(d, at + r * block.stride + v * lanes);
  [[maybe_unused]] bool negative_zero = false;
  if constexpr (kNormal) {
    if (!BeginsWell<kRows, kVectors>(acc)) return false;
    negative_zero = AnyOf<kRows, kVectors>(
        acc, [](V32 v) { return hn::Eq(hn::BitCast(U32(), v), hn::Set(U32(), 0x80000000u)); });
  }
  for (std::size_t i = copied ? 1 : 0; i < leafs.count; ++i) {
    V b[kVectors];
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v) b[v] = hn::LoadU(d, leafs.b[i] + column + v * lanes);
    const T* a = a0 + leafs.which[i];  // of every fourth row: an address has room for no more
#pragma GCC unroll 16
    for (std::size_t r = 0; r < kRows; ++r) {
      if (r != 0 && r % 4 == 0) a += 4 * leafs.a_stride;
      const V of_row = hn::Set(d, a[r % 4 * leafs.a_stride]);
#pragma GCC unroll 16
      for (std::size_t v = 0; v < kVectors; ++v)
        acc[r][v] = take(acc[r][v], of_row, b[v], r * kVectors + v);
    }
  }
  // −0 may have become +0, which only shows where nothing else was added.
  if constexpr (kNormal)
    if (negative_zero &&
        AnyOf<kRows, kVectors>(acc, [](V32 v) { return hn::Eq(v, hn::Zero(D32())); }))
      return false;
  if constexpr (requires { take.sum(acc[0][0], acc[0][0]); })
    if (leafs.sum_is_added) {
#pragma GCC unroll 16
      for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 16
        for (std::size_t v = 0; v < kVectors; ++v)
          acc[r][v] = take.sum(hn::LoadU(d, at + r * block.stride + v * lanes), acc[r][v]);
    }
#pragma GCC unroll 16
  for (std::size_t r = 0; r < kRows; ++r)
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v)
      hn::StoreU(acc[r][v], d, at + r * block.stride + v * lanes);
  return true;
}

/// Accumulators that stay in registers.
struct TileSize {
  std::size_t rows, vectors;
};
constexpr bool kManyRegisters = HWY_TARGET <= HWY_AVX3;
constexpr TileSize kFoldTile = kManyRegisters ? TileSize{6, 4} : TileSize{6, 2};
/// A step that rounds takes so long that the next needs many others meanwhile: of 32 accumulators
/// those that find no register are soon enough back from the first cache.
constexpr TileSize kRoundingTile = kManyRegisters ? TileSize{6, 4} : TileSize{8, 4};

/// Rows and columns of a block.
struct Area {
  std::size_t row, rows, column, columns;
};
template <class T>
HWY_INLINE Area WholeOf(const Block<T>& block) {
  return {0, block.rows, 0, block.columns};
}

/// Calls tile(row, column) as a template of rows, kRows or fewer, and vectors for all tiles of an
/// area.
template <std::size_t kRows, class T, class Tile>
HWY_INLINE void ForTiles(const Area& area, Tile tile) {
  constexpr std::size_t vectors = kFoldTile.vectors;
  const std::size_t width = vectors * hn::Lanes(hn::ScalableTag<T>());
  const std::size_t rows = area.row + area.rows;
  for (std::size_t c = area.column; c < area.column + area.columns; c += width) {
    std::size_t r = area.row;
    for (; r + kRows <= rows; r += kRows) tile.template operator()<kRows, vectors>(r, c);
    for (; r + 2 <= rows; r += 2) tile.template operator()<2, vectors>(r, c);
    for (; r < rows; ++r) tile.template operator()<1, vectors>(r, c);
  }
}

/// tile of `rows` rows, from half of kMost to kMost.
template <std::size_t kMost, std::size_t kVectors, std::size_t kRows = kMost, class Tile>
HWY_INLINE void CallTile(std::size_t rows, std::size_t row, std::size_t column, Tile& tile) {
  if constexpr (kRows > kMost / 2)
    if (rows < kRows) return CallTile<kMost, kVectors, kRows - 1>(rows, row, column, tile);
  tile.template operator()<kRows, kVectors>(row, column);
}

/// The same with tiles of about equally many rows, kMost or fewer: none has so few that a step
/// waits for the one before. Precondition: block.rows ≥ kMost / 2.
template <std::size_t kMost, std::size_t kVectors, class T, class Tile>
HWY_INLINE void ForEvenTiles(const Block<T>& block, Tile tile) {
  const std::size_t width = kVectors * hn::Lanes(hn::ScalableTag<T>());
  for (std::size_t c = 0; c < block.columns; c += width)
    for (std::size_t r = 0; r < block.rows;) {
      const std::size_t left = block.rows - r, tiles = (left + kMost - 1) / kMost;
      CallTile<kMost, kVectors>(left / tiles, r, c, tile);
      r += left / tiles;
    }
}

template <class T, class Take>
HWY_INLINE void FoldProducts(const Leafs<T>& leafs, const Block<T>& block, Take take) {
  ForTiles<kFoldTile.rows, T>(
      WholeOf(block), [&]<std::size_t kRows, std::size_t kVectors>(std::size_t r, std::size_t c) {
        FoldTile<kRows, kVectors, false>(leafs, block, r, c, take);
      });
}

/// Rounding every step to fewer bits: in the lane's own steps where that is right.
template <template <class> class Take>
HWY_INLINE void FoldProducts(const Leafs<float>& leafs, const Block<float>& block,
                             Take<BrainRounding> take) {
  const auto on_bits = [&]<std::size_t kRows, std::size_t kVectors>(std::size_t r, std::size_t c) {
    FoldTile<kRows, kVectors, false>(leafs, block, r, c, take);
  };
  const auto in_lanes = [&]<class Rounding>(Rounding rounding) {
    const auto tile = [&]<std::size_t kRows, std::size_t kVectors>(std::size_t r, std::size_t c) {
      if (FoldTile<kRows, kVectors, true>(leafs, block, r, c, Take<Rounding>{rounding})) return;
      ForTiles<2, float>({r, kRows, c, kVectors * hn::Lanes(D32())}, on_bits);
    };
    ForEvenTiles<kRoundingTile.rows, kRoundingTile.vectors>(block, tile);
  };
  const int fraction_bits = take.rounding.fraction_bits;
  if (leafs.sum_is_added || !SumsStayNormal(leafs, block))
    ForTiles<5, float>(WholeOf(block), on_bits);
  else if (23 - fraction_bits >= ShiftRounding::least_dropped)
    in_lanes(ShiftRounding(fraction_bits));
  else
    in_lanes(SplitRounding(fraction_bits));
}

/// How leaves that are values come.
enum class LeafKind : std::uint8_t { lanes, bf16_words, f16_words };

/// Words of f16 as floats. Highway's own steps, for processors without an instruction for it, make
/// numbers of infinities and NaN.
HWY_INLINE V32 HalfLanes(const std::byte* words, std::size_t column) {
  const D32 d;
  if constexpr (HWY_TARGET <= HWY_AVX2) {
    const hn::Rebind<hwy::float16_t, D32> dh;
    return hn::PromoteTo(d, hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(words) + column));
  } else {
    constexpr std::uint32_t sign = 0x8000, most_finite = 0x7bff;
    const U32 du;
    const hn::Rebind<std::uint16_t, D32> dw;
    const auto word =
        hn::PromoteTo(du, hn::LoadU(dw, reinterpret_cast<const std::uint16_t*>(words) + column));
    const auto magnitude = hn::AndNot(hn::Set(du, sign), word);
    const auto shifted = hn::ShiftLeft<23 - formats::f16.fraction_bits>(magnitude);
    const auto scaled = hn::BitCast(du, hn::Mul(hn::BitCast(d, shifted), hn::Set(d, 0x1p112f)));
    const auto special = hn::Gt(magnitude, hn::Set(du, most_finite));
    return hn::BitCast(
        d, hn::Or(hn::IfThenElse(special, hn::Or(shifted, hn::Set(du, 0x7f800000u)), scaled),
                  hn::ShiftLeft<16>(hn::And(word, hn::Set(du, sign)))));
  }
}

/// A vector of leaf i from `column` on: as it lies, or its words on the way.
template <LeafKind kKind, class T>
HWY_INLINE hn::Vec<hn::ScalableTag<T>> LeafLanes(const Leafs<T>& leafs, std::size_t i,
                                                 std::size_t column) {
  const hn::ScalableTag<T> d;
  if constexpr (kKind == LeafKind::bf16_words) {
    const hn::Rebind<std::uint16_t, D32> dw;
    const auto* words = reinterpret_cast<const std::uint16_t*>(leafs.words[i]) + column;
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(U32(), hn::LoadU(dw, words))));
  } else if constexpr (kKind == LeafKind::f16_words) {
    return HalfLanes(leafs.words[i], column);
  } else {
    return hn::LoadU(d, leafs.b[i] + column);
  }
}

/// Calls function(kind) with the kind of the leaves as a constant.
template <class T, class Function>
HWY_INLINE void WithLeafKind(const Leafs<T>& leafs, Function function) {
  if constexpr (sizeof(T) == 4)
    if (leafs.words != nullptr) {
      if (leafs.words_are_bf16)
        return function(std::integral_constant<LeafKind, LeafKind::bf16_words>());
      return function(std::integral_constant<LeafKind, LeafKind::f16_words>());
    }
  function(std::integral_constant<LeafKind, LeafKind::lanes>());
}

/// Vectors side by side: a sum waits for its last step, others need not.
template <std::size_t kVectors, LeafKind kKind, class T, class Rounding>
HWY_INLINE void FoldColumns(const Leafs<T>& leafs, T* at, std::size_t column, Rounding rounding) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<decltype(d)> acc[kVectors];
#pragma GCC unroll 8
  for (std::size_t v = 0; v < kVectors; ++v)
    acc[v] = leafs.first_is_copied ? LeafLanes<kKind>(leafs, 0, column + v * lanes)
                                   : hn::LoadU(d, at + v * lanes);
  for (std::size_t i = leafs.first_is_copied ? 1 : 0; i < leafs.count; ++i) {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v)
      acc[v] = rounding(hn::Add(acc[v], LeafLanes<kKind>(leafs, i, column + v * lanes)));
  }
#pragma GCC unroll 8
  for (std::size_t v = 0; v < kVectors; ++v) {
    if (leafs.sum_is_added) acc[v] = rounding(hn::Add(hn::LoadU(d, at + v * lanes), acc[v]));
    hn::StoreU(acc[v], d, at + v * lanes);
  }
}

template <LeafKind kKind, class T, class Rounding>
HWY_INLINE void FoldValues(const Leafs<T>& leafs, const Block<T>& block, Rounding rounding) {
  constexpr std::size_t vectors = 4;
  const std::size_t width = vectors * hn::Lanes(hn::ScalableTag<T>());
  for (std::size_t r = 0; r < block.rows; ++r) {
    T* const at = block.acc + r * block.stride;
    std::size_t c = 0;
    for (; c + 2 * width <= block.columns; c += 2 * width)
      FoldColumns<2 * vectors, kKind>(leafs, at + c, c, rounding);
    for (; c < block.columns; c += width) FoldColumns<vectors, kKind>(leafs, at + c, c, rounding);
  }
}

template <class T>
void AddLeafs(const Arithmetic& f, const Leafs<T>& leafs, const Block<T>& block) {
  WithRounding<T>(f, [&](auto rounding) {
    if (leafs.a == nullptr)
      WithLeafKind(leafs, [&](auto kind) { FoldValues<kind()>(leafs, block, rounding); });
    else
      FoldProducts(leafs, block, RoundedProducts<decltype(rounding)>{rounding});
  });
}

/// Some of the leaves, from `first` on.
template <class T>
HWY_INLINE Leafs<T> PartOf(const Leafs<T>& leafs, std::size_t first, std::size_t count,
                           bool first_is_copied) {
  Leafs<T> part = leafs;
  part.count = count;
  part.first_is_copied = first_is_copied;
  if (part.words != nullptr)
    part.words += first;
  else
    part.b += first;
  if (part.a != nullptr) part.which += first;
  return part;
}

/// The top becomes (kAdd: takes) the sum of two or four leaves, two by two.
template <std::size_t kLeaves, bool kAdd, bool kProducts, LeafKind kKind, class T, class Rounding>
HWY_INLINE void Balanced(const Leafs<T>& leafs, const Block<T>& block, Rounding rounding) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const T* a[kLeaves];
  for (std::size_t i = 0; i < kLeaves; ++i) a[i] = kProducts ? leafs.a + leafs.which[i] : nullptr;
  const std::size_t a_stride = leafs.a_stride, stride = block.stride, rows = block.rows;
  for (std::size_t c = 0; c < block.columns; c += hn::Lanes(d)) {
    V b[kLeaves];
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kLeaves; ++i) b[i] = LeafLanes<kKind>(leafs, i, c);
    T* at = block.acc + c;
    std::size_t row = 0;
#pragma GCC unroll 2
    for (std::size_t r = 0; r < rows; ++r, at += stride, row += a_stride) {
      V x[kLeaves];
#pragma GCC unroll 4
      for (std::size_t i = 0; i < kLeaves; ++i)
        if constexpr (kProducts)
          x[i] = hn::Mul(hn::Set(d, a[i][row]), b[i]);
        else
          x[i] = b[i];
      V sum = rounding(hn::Add(x[0], x[1]));
      if constexpr (kLeaves == 4) sum = rounding(hn::Add(sum, rounding(hn::Add(x[2], x[3]))));
      if constexpr (kAdd) sum = rounding(hn::Add(hn::LoadU(d, at), sum));
      hn::StoreU(sum, d, at);
    }
  }
}

/// acc takes x, lane by lane.
template <class T, class Rounding>
HWY_INLINE void AddBlock(const Block<T>& acc, const Block<T>& x, Rounding rounding) {
  const hn::ScalableTag<T> d;
  for (std::size_t r = 0; r < acc.rows; ++r)
    for (std::size_t c = 0; c < acc.columns; c += hn::Lanes(d)) {
      T* at = acc.acc + r * acc.stride + c;
      hn::StoreU(rounding(hn::Add(hn::LoadU(d, at), hn::LoadU(d, x.acc + r * x.stride + c))), d,
                 at);
    }
}

/// A small tree of a few rows: the stack of partial sums is in the first cache.
template <bool kProducts, LeafKind kKind, class T, class Rounding>
void RunStack(const std::vector<StackStep>& steps, const Leafs<T>& leafs, const Block<T>& block,
              T* stack, Rounding rounding) {
  const auto fold = [&](const Leafs<T>& part, const Block<T>& to) {
    if constexpr (kProducts)
      FoldProducts(part, to, RoundedProducts<Rounding>{rounding});
    else
      FoldValues<kKind>(part, to, rounding);
  };
  const auto slot = [&](std::size_t depth) {
    return Block<T>{stack + depth * block.rows * block.columns, block.columns, block.rows,
                    block.columns};
  };
  Block<T> top = block;
  std::size_t depth = 0, leaf = 0;
  for (const StackStep step : steps) {
    switch (step.kind) {
      case StackStep::Kind::load:
        fold(PartOf(leafs, leaf, step.count, true), top);
        leaf += step.count;
        break;
      case StackStep::Kind::add:
        fold(PartOf(leafs, leaf, step.count, false), top);
        leaf += step.count;
        break;
      case StackStep::Kind::load_four:
        Balanced<4, false, kProducts, kKind>(PartOf(leafs, leaf, 4, true), top, rounding);
        leaf += 4;
        break;
      case StackStep::Kind::add_pair:
        for (std::size_t i = 0; i < step.count; ++i, leaf += 2)
          Balanced<2, true, kProducts, kKind>(PartOf(leafs, leaf, 2, false), top, rounding);
        break;
      case StackStep::Kind::add_four:
        for (std::size_t i = 0; i < step.count; ++i, leaf += 4)
          Balanced<4, true, kProducts, kKind>(PartOf(leafs, leaf, 4, false), top, rounding);
        break;
      case StackStep::Kind::add_load: {
        Leafs<T> part = PartOf(leafs, leaf, step.count, true);
        part.sum_is_added = true;
        fold(part, top);
        leaf += step.count;
        break;
      }
      case StackStep::Kind::push:
        top = slot(depth++);
        break;
      case StackStep::Kind::pop: {
        const Block<T> below = --depth == 0 ? block : slot(depth - 1);
        AddBlock(below, top, rounding);
        top = below;
        break;
      }
    }
  }
}

template <bool kProducts, LeafKind kKind, class T>
HWY_INLINE void TreeBlock(const Arithmetic& f, const std::vector<StackStep>& steps,
                          const Leafs<T>& leafs, const Block<T>& block) {
  HWY_ALIGN T stack[most_tree_depth * most_tree_lanes];
  const std::size_t rows = most_tree_lanes / block.columns;
  WithRounding<T>(f, [&](auto rounding) {
    for (std::size_t r = 0; r < block.rows; r += rows) {
      Leafs<T> some = leafs;
      if constexpr (kProducts) some.a += r * leafs.a_stride;
      RunStack<kProducts, kKind>(steps, some,
                                 {block.acc + r * block.stride, block.stride,
                                  std::min(rows, block.rows - r), block.columns},
                                 stack, rounding);
    }
  });
}

template <class T>
void TreeLeafs(const Arithmetic& f, const std::vector<StackStep>& steps, const Leafs<T>& leafs,
               const Block<T>& block) {
  if (leafs.a == nullptr)
    WithLeafKind(leafs, [&](auto kind) { TreeBlock<false, kind()>(f, steps, leafs, block); });
  else
    TreeBlock<true, LeafKind::lanes>(f, steps, leafs, block);
}

/// By any rule: leaves and accumulators in double.
template <class T>
HWY_INLINE V64 LoadDouble(const T* from) {
  const D64 d;
  if constexpr (sizeof(T) == 8)
    return hn::LoadU(d, from);
  else
    return hn::PromoteTo(d, hn::LoadU(H32(), from));
}
template <class T>
HWY_INLINE void StoreDouble(V64 v, T* to) {
  if constexpr (sizeof(T) == 8)
    hn::StoreU(v, D64(), to);
  else
    hn::StoreU(hn::DemoteTo(H32(), v), H32(), to);
}

HWY_INLINE V64 GeneralAdd(const Arithmetic& f, V64 acc, V64 x) {
  if (!f.step) return hn::Add(acc, x);
  return AddLanes(*f.step, FlushOperand(*f.step, acc), FlushOperand(*f.step, x));
}
HWY_INLINE V64 After(const Arithmetic& f, V64 v) {
  return f.after ? ConvertLanes(*f.after, v) : v;
}

template <class T>
void General(const Arithmetic& f, const Leafs<T>& leafs, const Block<T>& block) {
  const D64 d;
  const bool fused = f.unit.kind == Unit::Kind::fma;
  for (std::size_t r = 0; r < block.rows; ++r)
    for (std::size_t c = 0; c < block.columns; c += hn::Lanes(d)) {
      T* at = block.acc + r * block.stride + c;
      V64 acc = LoadDouble(at);
      for (std::size_t i = 0; i < leafs.count; ++i) {
        V64 x = LoadDouble(leafs.b[i] + c);
        if (leafs.a != nullptr) {
          const V64 a = hn::Set(d, leafs.a[r * leafs.a_stride + leafs.which[i]]);
          x = fused ? hn::Mul(FlushOperand(*f.step, a), FlushOperand(*f.step, x)) : hn::Mul(a, x);
          if (f.product) x = ConvertLanes(*f.product, x);
          // A narrower lane's own product: rounded as the lane's multiply would.
          else if (!fused && sizeof(T) == 4)
            x = hn::PromoteTo(d, hn::DemoteTo(H32(), x));
        }
        if (fused)
          acc = AddLanes(*f.step, x, FlushOperand(*f.step, acc));
        else
          acc = GeneralAdd(f, acc, x);
        acc = After(f, acc);
      }
      StoreDouble(acc, at);
    }
}

void Fma32(const Arithmetic& f, const Leafs<float>& leafs, const Block<float>& block) {
  if constexpr (kHasFma)
    WithRounding<float>(f, [&](auto rounding) {
      FoldProducts(leafs, block, FusedProducts<decltype(rounding)>{rounding});
    });
  else
    General(f, leafs, block);
}

void Fma64(const Arithmetic&, const Leafs<double>& leafs, const Block<double>& block) {
  if constexpr (kHasFma) {
    FoldProducts(leafs, block, FusedProducts<NoRounding>{});
  } else {
    for (std::size_t r = 0; r < block.rows; ++r)
      for (std::size_t c = 0; c < block.columns; ++c) {
        double& acc = block.acc[r * block.stride + c];
        for (std::size_t i = 0; i < leafs.count; ++i)
          acc = std::fma(leafs.a[r * leafs.a_stride + leafs.which[i]], leafs.b[i][c], acc);
      }
  }
}

template <class T>
void Sum(const Arithmetic& f, T* acc, const T* x, std::size_t count) {
  if (f.kernel == Arithmetic::Kernel::add) {
    const hn::ScalableTag<T> d;
    return WithRounding<T>(f, [&](auto rounding) {
      for (std::size_t i = 0; i < count; i += hn::Lanes(d))
        hn::StoreU(rounding(hn::Add(hn::LoadU(d, acc + i), hn::LoadU(d, x + i))), d, acc + i);
    });
  }
  for (std::size_t i = 0; i < count; i += hn::Lanes(D64()))
    StoreDouble(After(f, GeneralAdd(f, LoadDouble(acc + i), LoadDouble(x + i))), acc + i);
}

}  // namespace whybits::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
