// Aligned steps on bf16 words, for few rows: reading the words from memory takes as long as half of
// what is to be done with them, so that every instruction counts.
//
// * Exponents are compared where they lie, in bits 7…14 of words, and later in those of floats.
// * A word of two values becomes floats by a shift and a mask: even columns, odd columns.
// * Products are scaled by an add to their exponents. With E ≤ F it never goes below zero, and zero
//   becomes a number below 1, which is cut.
// * A zero or subnormal b seems to have exponent −127, which is harmless while no a has one above
//   low + 126: the product's is then below `low`.
//
// Larger a go to the kernel of any words (kernels/aligned-inl.hpp), and so does a step of a block
// of columns with E elsewhere or with b so large, infinite or NaN that sums of exponents leave 16
// bits: those saturate, above every E. Beside a that are zero or tiny an infinity or NaN would not
// show, and the largest b is asked for too.
#if defined(WHYBITS_BF16_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHYBITS_BF16_ROWS_INL
#undef WHYBITS_BF16_ROWS_INL
#else
#define WHYBITS_BF16_ROWS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "sim/fast/kernels/aligned-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whybits::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct Bf16Rows {
  /// Pairs of float vectors at a time: a line of the cache of every leaf.
  static constexpr std::size_t pairs = HWY_TARGET <= HWY_AVX3 ? 1 : 2;
  static constexpr int field_up = formats::bf16.fraction_bits;

  static int most_a(const AlignedLanes& lanes) {
    return std::min(lanes.low + formats::bf16.bias() - 1, formats::bf16.max_exponent());
  }
  /// The largest E in steps whose products are scaled by an add to exponents.
  static int most_e(const AlignedLanes& lanes) { return std::min(lanes.high, lanes.fraction_bits); }
  /// Whether the product of every a with an infinity or NaN has an exponent above most_e.
  static bool shows_specials(const Leafs<float>& leafs, const AlignedLanes& lanes,
                             std::size_t rows) {
    const int least_a = most_e(lanes) - formats::bf16.max_exponent();
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t i = 0; i < leafs.count; ++i)
        if (exponent(leafs, r, i) < least_a) return false;
    return true;
  }
  /// Of the first operand of a leaf.
  static int exponent(const Leafs<float>& leafs, std::size_t row, std::size_t i) {
    const std::int32_t twice = leafs.a_exponents[row * leafs.a_stride + leafs.which[i]];
    return static_cast<std::int16_t>(twice & 0xffff) - exponent_bias;
  }
  /// The largest exponent field of b whose sum with a's exponent stays below float's own largest.
  static int most_b_field(const AlignedLanes& lanes) {
    return 2 * formats::bf16.bias() - std::max(most_a(lanes), 0);
  }
};

/// The first operands of one step of one row.
template <std::size_t kLeaves>
struct Bf16Step {
  float a[kLeaves];
  std::int32_t exponents[kLeaves];  ///< as words have them, twice
  const std::uint16_t* words[kLeaves];
  const std::uint16_t* next[kLeaves];  ///< of the next step, or the same

  Bf16Step(const Leafs<float>& leafs, std::size_t row, std::size_t first) {
    constexpr int least = -256;  // of zero: below every field
    const bool last = first + 2 * kLeaves > leafs.count;
    for (std::size_t i = 0; i < kLeaves; ++i) {
      a[i] = leafs.a[row * leafs.a_stride + leafs.which[first + i]];
      const int e = Bf16Rows::exponent(leafs, row, first + i);
      const auto field = static_cast<std::uint16_t>(std::max(e, least) * (1 << Bf16Rows::field_up));
      exponents[i] = static_cast<std::int32_t>(field * 0x10001u);
      words[i] = WordsAt(leafs, first + i, 0);
      next[i] = last ? words[i] : WordsAt(leafs, first + kLeaves + i, 0);
    }
  }
};

/// Blocks of 2 · pairs vectors of columns, one after the other: while the products of one are
/// added, the words of the next are read and the exponents of its products compared. kShows: of
/// steps whose a show infinities and NaN.
template <std::size_t kLeaves, bool kShows>
class Bf16Blocks {
 public:
  using Step = Bf16Step<kLeaves>;
  static constexpr std::size_t pairs = Bf16Rows::pairs, vectors = 2 * pairs;
  static std::size_t width() { return vectors * hn::Lanes(D32()); }

  /// A block: its step, its columns, and columns from which words are asked for in time.
  struct Place {
    const Step* step;
    std::size_t column;
    const std::uint16_t* const* ahead;
    std::size_t ahead_column;
    float* acc;
  };

  explicit Bf16Blocks(const Arithmetic& f)
      : after_(f.after ? &*f.after : nullptr),
        low_(field(f.aligned->low)),
        high_(field(Bf16Rows::most_e(*f.aligned))),
        unit_(hn::Set(I32(), (exponent_bias + f.aligned->fraction_bits) << 23)),
        fraction_(hn::Set(I32(), f.aligned->fraction_bits << 23)),
        most_sum_(hn::Set(I32(), MostSum(*f.aligned))),
        kept_(hn::BitCast(D32(), hn::Set(U32(), f.aligned->out_mask))),
        most_b_(hn::Set(D16(), static_cast<std::int16_t>(Bf16Rows::most_b_field(*f.aligned)
                                                         << Bf16Rows::field_up))) {}

  /// Even columns of a pair of vectors before odd ones, as its words are read; and back.
  static HWY_INLINE void part(float* acc) {
    const D32 d;
    for (std::size_t v = 0; v < vectors; v += 2) {
      V32 even, odd;
      hn::LoadInterleaved2(d, acc + v * hn::Lanes(d), even, odd);
      OrderedColumns::store(even, odd, acc + v * hn::Lanes(d));
    }
  }
  static HWY_INLINE void join(float* acc) {
    const D32 d;
    for (std::size_t v = 0; v < vectors; v += 2) {
      V32 even, odd;
      OrderedColumns::load(acc + v * hn::Lanes(d), even, odd);
      hn::StoreInterleaved2(even, odd, d, acc + v * hn::Lanes(d));
    }
  }

  void begin(const Place& first) {
    Tops tops;
    clear(tops);
    const Step& step = *first.step;
    for (std::size_t i = 0; i < kLeaves; ++i) compare(first, step, i, held_[0], tops);
    prepare(first, tops);
  }

  /// One step of the block that was begun; then the next one is. Where it would not be right it is
  /// slow(now)'s.
  template <class Slow>
  HWY_INLINE void step(const Place& now, const Place& next, Slow slow) {
    const D32 d;
    const U32 du;
    const Step &step = *now.step, &next_step = *next.step;
    std::uint16_t *words = held_[at_], *next_words = held_[1 - at_];
    Tops tops;
    clear(tops);
    VI32 sum[vectors];
    VI32 up[vectors];  // words are written, for all that is known into this
#pragma GCC unroll 8
    for (std::size_t v = 0; v < vectors; ++v) {
      sum[v] = hn::Zero(I32());
      up[v] = up_[v];
    }
    for (std::size_t i = 0; i < kLeaves; ++i) {
      compare(next, next_step, i, next_words, tops);
      const V32 a = hn::Set(d, step.a[i]);
#pragma GCC unroll 8
      for (std::size_t p = 0; p < pairs; ++p) {
        const auto both =
            hn::BitCast(du, hn::Load(D16U(), words + (i * pairs + p) * hn::Lanes(D16())));
        const V32 b[2] = {hn::BitCast(d, hn::ShiftLeft<16>(both)),
                          hn::BitCast(d, hn::And(both, hn::Set(du, 0xffff0000u)))};
#pragma GCC unroll 2
        for (std::size_t h = 0; h < 2; ++h) {
          const std::size_t v = 2 * p + h;
          sum[v] = hn::Add(sum[v], TruncateToInt(Shifted(hn::Mul(a, b[h]), up[v])));
        }
      }
    }
    if (HWY_UNLIKELY(!finish(sum, now.acc))) slow(now);
    at_ = 1 - at_;
    prepare(next, tops);
  }

 private:
  static HWY_INLINE V32 Shifted(V32 v, VI32 up) {
    return hn::BitCast(D32(), hn::Add(hn::BitCast(I32(), v), up));
  }
  using D16U = hn::RebindToUnsigned<D16>;
  struct Tops {
    V16 top[pairs];
    V16 seen;
  };
  static HWY_INLINE void clear(Tops& tops) {
    tops.seen = hn::Zero(D16());
#pragma GCC unroll 8
    for (std::size_t p = 0; p < pairs; ++p) tops.top[p] = hn::Set(D16(), -32768);
  }

  /// Leaf i of a step: exponents of its products.
  static HWY_INLINE void compare(const Place& place, const Step& step, std::size_t i,
                                 std::uint16_t* words, Tops& tops) {
    const D16 d;
#if defined(__GNUC__)
    __builtin_prefetch(place.ahead[i] + place.ahead_column, 0, 2);
#endif
    const V16 a = hn::BitCast(d, hn::Set(I32(), step.exponents[i]));
#pragma GCC unroll 8
    for (std::size_t p = 0; p < pairs; ++p) {
      const auto read = hn::LoadU(D16U(), step.words[i] + place.column + p * hn::Lanes(d));
      hn::Store(read, D16U(), words + (i * pairs + p) * hn::Lanes(d));
      const V16 field = hn::And(hn::BitCast(d, read), hn::Set(d, 0x7f80));
      if constexpr (!kShows) tops.seen = hn::Max(tops.seen, field);
      tops.top[p] = hn::Max(tops.top[p], hn::SaturatedAdd(field, a));
    }
  }

  /// Exponents are those of floats' fields, where they lie.
  static VI32 field(int exponent) { return hn::Set(I32(), (exponent + exponent_bias) << 23); }

  /// Exponents of a block whose products' are known.
  HWY_INLINE void prepare(const Place& place, const Tops& tops) {
    const D32 d;
    const I32 di;
    const VI32 field_mask = hn::Set(di, 0x7f800000);
    VI32 highest = low_, lowest = high_;
#pragma GCC unroll 8
    for (std::size_t v = 0; v < vectors; ++v) {
      const auto both = hn::BitCast(di, tops.top[v / 2]);
      const auto products = v % 2 == 0 ? hn::ShiftLeft<16>(both)
                                       : hn::And(both, hn::Set(di, static_cast<int>(0xffff0000)));
      x_[v] = hn::LoadU(d, place.acc + v * hn::Lanes(d));
      const auto e = hn::Max(hn::And(hn::BitCast(di, x_[v]), field_mask), products);
      highest = hn::Max(highest, e);
      lowest = hn::Min(lowest, e);
      up_[v] = hn::Sub(unit_, e);
      back_[v] = hn::Sub(e, fraction_);
    }
    beyond_ = !hn::AllFalse(di, hn::Or(hn::Gt(highest, high_), hn::Gt(low_, lowest)));
    if constexpr (!kShows) beyond_ |= !hn::AllFalse(D16(), hn::Gt(tops.seen, most_b_));
  }

  HWY_INLINE bool finish(const VI32 (&sum)[vectors], float* acc) {
    const D32 d;
    const I32 di;
    auto largest = hn::Zero(di);
    V32 result[vectors];
#pragma GCC unroll 8
    for (std::size_t v = 0; v < vectors; ++v) {
      largest = hn::Max(largest, hn::Abs(sum[v]));
      const auto total = hn::Add(sum[v], TruncateToInt(Shifted(x_[v], up_[v])));
      result[v] = hn::And(hn::Mul(ToFloatTowardZero(total), hn::BitCast(d, back_[v])), kept_);
    }
    if (HWY_UNLIKELY(beyond_ || !hn::AllFalse(di, hn::Gt(largest, most_sum_)))) return false;
#pragma GCC unroll 8
    for (std::size_t v = 0; v < vectors; ++v) hn::StoreU(result[v], d, acc + v * hn::Lanes(d));
    if (HWY_UNLIKELY(after_ != nullptr)) RoundAll(*after_, acc, width());
    return true;
  }

  const Rounder* after_;
  VI32 low_, high_, unit_, fraction_, most_sum_;
  V32 kept_;
  V16 most_b_;
  V32 x_[vectors];
  VI32 up_[vectors],
      back_[vectors];  ///< products times 2^(F − E) by an add to exponents; 2^(E − F)
  bool beyond_ = false;
  std::size_t at_ = 0;  ///< which words are those of the block that was begun
  HWY_ALIGN std::uint16_t held_[2][kLeaves * pairs * hn::MaxLanes(D16())];
};

/// All whole steps of kLeaves; returns how many leaves are done.
template <std::size_t kLeaves, bool kShows>
std::size_t StepsBf16(const Arithmetic& f, const Leafs<float>& leafs, const Block<float>& block,
                      const StepByReference& reference) {
  constexpr std::size_t ahead = 512;  // columns: what comes so much later is prefetched
  using Blocks = Bf16Blocks<kLeaves, kShows>;
  const std::size_t width = Blocks::width(), end = leafs.count / kLeaves * kLeaves;
  if (end == 0) return 0;
  for (std::size_t r = 0; r < block.rows; ++r) {
    float* acc = block.acc + r * block.stride;
    for (std::size_t c = 0; c < block.columns; c += width) Blocks::part(acc + c);
    const auto place = [&](const Bf16Step<kLeaves>& step, std::size_t c) {
      const bool here = c + ahead < block.columns;
      return typename Blocks::Place{&step, c, here ? step.words : step.next,
                                    here ? c + ahead : c + ahead - block.columns, acc + c};
    };
    Bf16Step<kLeaves> steps[2] = {{leafs, r, 0}, {leafs, r, 0}};
    Blocks blocks(f);
    auto now = place(steps[0], 0);
    blocks.begin(now);
    for (std::size_t first = 0; first < end; first += kLeaves) {
      const std::size_t at = first / kLeaves % 2;
      if (first + kLeaves < end) steps[1 - at] = {leafs, r, first + kLeaves};
      for (std::size_t c = 0; c < block.columns; c += width) {
        const auto next =
            c + width < block.columns ? place(steps[at], c + width) : place(steps[1 - at], 0);
        blocks.step(now, next, [&](const typename Blocks::Place& bad) {
          Blocks::join(bad.acc);
          AlignedRow<Bf16Rows::pairs, AlignedLanes::Out::truncate, WordColumns<Bf16Words>>(
              f, leafs, block, reference, r, bad.column, first, first + kLeaves);
          Blocks::part(bad.acc);
        });
        now = next;
      }
    }
    for (std::size_t c = 0; c < block.columns; c += width) Blocks::join(acc + c);
  }
  return end;
}

void AlignedBf16(const Arithmetic& f, const Leafs<float>& leafs, const Block<float>& block,
                 const StepByReference& reference) {
  const AlignedLanes& lanes = *f.aligned;
  std::size_t done = 0;
  if (lanes.out == AlignedLanes::Out::truncate &&
      leafs.a_most_exponent <= Bf16Rows::most_a(lanes)) {
    const auto steps = [&]<bool kShows>() {
      if (lanes.addends == 16) done = StepsBf16<16, kShows>(f, leafs, block, reference);
      if (lanes.addends == 8) done = StepsBf16<8, kShows>(f, leafs, block, reference);
    };
    if (Bf16Rows::shows_specials(leafs, lanes, block.rows))
      steps.template operator()<true>();
    else
      steps.template operator()<false>();
  }
  AlignedBy<WordColumns<Bf16Words>>(f, leafs, block, reference, done);
}

void Aligned(const Arithmetic& f, const Leafs<float>& leafs, const Block<float>& block,
             const StepByReference& reference) {
  if (leafs.words == nullptr)
    AlignedBy<DecodedColumns>(f, leafs, block, reference);
  else if (leafs.words_are_bf16)
    AlignedBf16(f, leafs, block, reference);
  else
    AlignedBy<WordColumns<F16Words>>(f, leafs, block, reference);
}

}  // namespace whybits::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
