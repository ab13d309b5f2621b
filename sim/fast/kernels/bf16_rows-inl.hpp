// Aligned steps on bf16 words, for few rows: reading the words from memory takes as long as half of
// what is to be done with them, so that every instruction counts.
//
// * Exponents are compared where they lie, in bits 7…14 of words, and later in those of floats.
// * Words are scaled, not products, by an add of F − E to their exponents, 16 bits each: a is
//   multiplied by b · 2^(F − E). With E ≤ F the sum never goes below zero.
// * A word of two values becomes floats by a shift and a mask: even columns, odd columns.
// * A zero or subnormal b seems to be 2^−127 or more, below 2^−126. Where E is so far above the
//   largest a (least_e) that such a product is below 1, it is cut, as what it stands for would be.
//
// Largest a go to the kernel of any words (kernels/aligned-inl.hpp), and so does a step of a block
// of columns with E elsewhere, or with b infinite or NaN: sums of exponents saturate, above every
// E. A finite b with a takes E along, so that b · 2^(F − E) < 2^128 unless a is below 2^(F − 127).
// Beside such a neither that nor an infinity shows, and the largest scaled b is looked at too.
#if defined(WHYBITS_BF16_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHYBITS_BF16_ROWS_INL
#undef WHYBITS_BF16_ROWS_INL
#else
#define WHYBITS_BF16_ROWS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#include "sim/fast/kernels/aligned-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whybits::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct Bf16Rows {
  static constexpr int field_up = formats::bf16.fraction_bits;

  static int most_a(const AlignedLanes& lanes) {
    return std::min(lanes.low + formats::bf16.bias() - 1, formats::bf16.max_exponent());
  }
  /// The largest E in steps whose words are scaled by an add to exponents.
  static int most_e(const AlignedLanes& lanes) { return std::min(lanes.high, lanes.fraction_bits); }
  /// The least E with which a zero or subnormal b, taken for a normal one, is cut, and tops
  /// nothing.
  static int least_e(const AlignedLanes& lanes, int most_a) {
    return std::max(lanes.low, lanes.fraction_bits + most_a + 2 - formats::bf16.bias());
  }
  /// Whether E is so large that with every a each finite b stays finite when it is scaled, and each
  /// infinity or NaN takes E above most_e.
  static bool shows_specials(const Leafs<float>& leafs, const AlignedLanes& lanes,
                             std::size_t rows) {
    const int least_a = lanes.fraction_bits - formats::bf16.max_exponent();
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
  /// An exponent as words have it.
  static std::int16_t field(int exponent) {
    return static_cast<std::int16_t>((exponent + exponent_bias) << field_up);
  }
};

/// The first operands of one step of one row.
template <std::size_t kLeaves>
struct Bf16Step {
  static constexpr std::size_t copies = 16 / sizeof(std::int16_t);
  HWY_ALIGN std::int16_t exponents[kLeaves][copies];  ///< as words have them
  float a[kLeaves];
  const std::uint16_t* words[kLeaves];

  Bf16Step(const Leafs<float>& leafs, std::size_t row, std::size_t first) {
    constexpr int least = -256;  // of zero: below every field
    for (std::size_t i = 0; i < kLeaves; ++i) {
      a[i] = leafs.a[row * leafs.a_stride + leafs.which[first + i]];
      const int e = std::max(Bf16Rows::exponent(leafs, row, first + i), least);
      std::fill_n(exponents[i], copies, static_cast<std::int16_t>(e * (1 << Bf16Rows::field_up)));
      words[i] = WordsAt(leafs, first + i, 0);
    }
  }
};

/// Blocks of 2 · kPairs vectors of columns, one after the other: while the products of one are
/// added, the words of the next are read and the exponents of its products compared. kShows: of
/// steps whose a show infinities and NaN.
template <std::size_t kLeaves, bool kShows, std::size_t kPairs>
class Bf16Blocks {
 public:
  using Step = Bf16Step<kLeaves>;
  static constexpr std::size_t vectors = 2 * kPairs;
  static std::size_t width() { return vectors * hn::Lanes(D32()); }

  /// A block: its step and its columns.
  struct Place {
    const Step* step;
    std::size_t column;
    std::ptrdiff_t ahead;  ///< from a leaf's first word to those that are asked for in time
    float* acc;
  };

  Bf16Blocks(const Arithmetic& f, int most_a)
      : after_(f.after ? &*f.after : nullptr),
        low_(Set16(Bf16Rows::field(Bf16Rows::least_e(*f.aligned, most_a)))),
        high_(Set16(Bf16Rows::field(Bf16Rows::most_e(*f.aligned)))),
        unit_(Set16(Bf16Rows::field(f.aligned->fraction_bits))),
        most_sum_(hn::Set(I32(), MostSum(*f.aligned))),
        kept_(hn::BitCast(D32(), hn::Set(U32(), f.aligned->out_mask))) {}

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
    for (std::size_t i = 0; i < kLeaves; ++i) compare(first, i, held_[0], tops);
    prepare(first, tops);
  }

  /// One step of the block that was begun; then the next one is. Where it would not be right it is
  /// slow(now)'s.
  template <class Slow>
  HWY_INLINE void step(const Place& now, const Place& next, Slow slow) {
    const D32 d;
    const Words& words = held_[at_];
    Words& next_words = held_[1 - at_];
    Tops tops;
    clear(tops);
    V16 up[kPairs];
    VI32 sum[vectors];
#pragma GCC unroll 8
    for (std::size_t p = 0; p < kPairs; ++p) up[p] = up_[p];
#pragma GCC unroll 8
    for (std::size_t v = 0; v < vectors; ++v) sum[v] = hn::Zero(I32());
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kLeaves; ++i) {
      compare(next, i, next_words, tops);
      const V32 a = hn::Set(d, now.step->a[i]);
#pragma GCC unroll 8
      for (std::size_t p = 0; p < kPairs; ++p) {
        V32 even, odd;
        Scaled(words.of(i, p), up[p], even, odd);
        sum[2 * p] = hn::Add(sum[2 * p], TruncateToInt(hn::Mul(a, even)));
        sum[2 * p + 1] = hn::Add(sum[2 * p + 1], TruncateToInt(hn::Mul(a, odd)));
        KeepOrder(sum[2 * p]);
        KeepOrder(sum[2 * p + 1]);
      }
    }
    if (HWY_UNLIKELY(!finish(sum, now.acc))) slow(now);
    at_ = 1 - at_;
    prepare(next, tops);
  }

 private:
  using D16U = hn::RebindToUnsigned<D16>;
  static V16 Set16(std::int16_t value) { return hn::Set(D16(), value); }

  /// Words of even and of odd columns as floats, or their fields as those of floats.
  static HWY_INLINE V32 EvenOf(V16 both) {
    return hn::BitCast(D32(), hn::ShiftLeft<16>(hn::BitCast(U32(), both)));
  }
  static HWY_INLINE V32 OddOf(V16 both) {
    return hn::BitCast(D32(), hn::And(hn::BitCast(U32(), both), hn::Set(U32(), 0xffff0000u)));
  }
  /// Words as floats, `up` added to their exponents.
  static HWY_INLINE void Scaled(const std::uint16_t* words, V16 up, V32& even, V32& odd) {
#if HWY_TARGET <= HWY_AVX3
    // Read one place earlier, an even column's word lies where a float has its upper half.
    constexpr __mmask32 upper = 0xaaaaaaaa;
    const __m512i earlier = _mm512_slli_epi32(up.raw, 16);  // once for all leaves
    even = V32{
        _mm512_castsi512_ps(_mm512_maskz_add_epi16(upper, earlier, _mm512_loadu_si512(words - 1)))};
    odd = V32{_mm512_castsi512_ps(_mm512_maskz_add_epi16(upper, up.raw, _mm512_load_si512(words)))};
#else
    const V16 scaled = hn::Add(hn::BitCast(D16(), hn::Load(D16U(), words)), up);
    even = EvenOf(scaled);
    odd = OddOf(scaled);
#endif
  }

  /// A step's words, and one before them that may be read. Two of them make up 4 KiB or less:
  /// processors that tell addresses apart by 12 bits do not take reading one for writing the other.
  struct Words {
    static constexpr std::size_t before = 64 / sizeof(std::uint16_t);
    HWY_ALIGN std::uint16_t words[before + kLeaves * kPairs * hn::MaxLanes(D16())] = {};

    HWY_INLINE std::uint16_t* of(std::size_t i, std::size_t p) {
      return words + before + (i * kPairs + p) * hn::Lanes(D16());
    }
    HWY_INLINE const std::uint16_t* of(std::size_t i, std::size_t p) const {
      return words + before + (i * kPairs + p) * hn::Lanes(D16());
    }
  };
  /// Largest exponents of products, where words have exponents, and of words.
  struct Tops {
    V16 top[kPairs], seen[kPairs];
  };
  static HWY_INLINE void clear(Tops& tops) {
#pragma GCC unroll 8
    for (std::size_t p = 0; p < kPairs; ++p) {
      tops.top[p] = Set16(-32768);
      tops.seen[p] = Set16(0);
    }
  }

  static HWY_INLINE void prefetch(const std::uint16_t* leaf, std::ptrdiff_t ahead) {
#if defined(__GNUC__)
    // A number, not a pointer: at the end of a matrix it is nowhere.
    const auto at = reinterpret_cast<std::uintptr_t>(leaf) + static_cast<std::uintptr_t>(ahead);
    __builtin_prefetch(reinterpret_cast<const void*>(at), 0, 2);
    if (width() > 32) __builtin_prefetch(reinterpret_cast<const void*>(at + 64), 0, 2);
#endif
  }

  /// Leaf i of a step: exponents of its products.
  static HWY_INLINE void compare(const Place& place, std::size_t i, Words& words, Tops& tops) {
    const D16 d;
    const std::uint16_t* leaf = place.step->words[i];
    prefetch(leaf, place.ahead);
    const V16 a = hn::LoadDup128(d, place.step->exponents[i]);
#pragma GCC unroll 8
    for (std::size_t p = 0; p < kPairs; ++p) {
      const auto read = hn::LoadU(D16U(), leaf + place.column + p * hn::Lanes(d));
      hn::Store(read, D16U(), words.of(i, p));
      const V16 field = hn::And(hn::BitCast(d, read), hn::Set(d, 0x7f80));
      if constexpr (!kShows) tops.seen[p] = hn::Max(tops.seen[p], field);
      tops.top[p] = hn::Max(tops.top[p], hn::SaturatedAdd(field, a));
    }
  }

  /// Of a block whose products' exponents are known.
  HWY_INLINE void prepare(const Place& place, const Tops& tops) {
    const D16 d;
    V16 highest = low_, lowest = high_, reach = hn::Zero(d);
#pragma GCC unroll 8
    for (std::size_t p = 0; p < kPairs; ++p) {
      const auto even = hn::BitCast(U32(), Accumulator(place.acc, 2 * p));
      const auto odd = hn::BitCast(d, Accumulator(place.acc, 2 * p + 1));
      const V16 upper = hn::OddEven(odd, hn::BitCast(d, hn::ShiftRight<16>(even)));
      const V16 e = hn::Max(hn::And(upper, hn::Set(d, 0x7f80)), tops.top[p]);
      highest = hn::Max(highest, e);
      lowest = hn::Min(lowest, e);
      up_[p] = hn::Sub(unit_, e);
      if constexpr (!kShows) reach = hn::Max(reach, hn::SaturatedAdd(tops.seen[p], up_[p]));
    }
    auto beyond = hn::Or(hn::Gt(highest, high_), hn::Gt(low_, lowest));
    if constexpr (!kShows) {
      const V16 most = Set16(Bf16Rows::field(formats::bf16.max_exponent()));
      beyond = hn::Or(beyond, hn::Gt(reach, most));
    }
    beyond_ = !hn::AllFalse(d, beyond);
  }
  static HWY_INLINE V32 Accumulator(const float* acc, std::size_t v) {
    return hn::LoadU(D32(), acc + v * hn::Lanes(D32()));
  }

  HWY_INLINE bool finish(const VI32 (&sum)[vectors], float* acc) const {
    const D32 d;
    const I32 di;
    auto largest = hn::Zero(di);
    V32 result[vectors];
#pragma GCC unroll 8
    for (std::size_t v = 0; v < vectors; ++v) {
      const auto up = hn::BitCast(di, v % 2 == 0 ? EvenOf(up_[v / 2]) : OddOf(up_[v / 2]));
      const auto back = hn::Sub(hn::Set(di, exponent_bias << 23), up);  // 2^(E − F)
      const auto own = hn::Add(hn::BitCast(di, Accumulator(acc, v)), up);
      largest = hn::Max(largest, hn::Abs(sum[v]));
      const auto total = hn::Add(sum[v], TruncateToInt(hn::BitCast(d, own)));
      result[v] = hn::And(hn::Mul(ToFloatTowardZero(total), hn::BitCast(d, back)), kept_);
    }
    if (HWY_UNLIKELY(beyond_ || !hn::AllFalse(di, hn::Gt(largest, most_sum_)))) return false;
#pragma GCC unroll 8
    for (std::size_t v = 0; v < vectors; ++v) hn::StoreU(result[v], d, acc + v * hn::Lanes(d));
    if (HWY_UNLIKELY(after_ != nullptr)) RoundAll(*after_, acc, width());
    return true;
  }

  const Rounder* after_;
  V16 low_, high_, unit_;  ///< as words have exponents
  VI32 most_sum_;
  V32 kept_;
  V16 up_[kPairs];  ///< F − E, where words have exponents: added to them, 2^(F − E) times
  bool beyond_ = false;
  std::size_t at_ = 0;  ///< which words are those of the block that was begun
  Words held_[2];
};

/// All whole steps of kLeaves; returns how many leaves are done.
template <std::size_t kLeaves, bool kShows, std::size_t kPairs>
std::size_t StepsBf16(const Arithmetic& f, const Leafs<float>& leafs, const Block<float>& block,
                      const StepByReference& reference) {
  constexpr std::size_t ahead = 512;  // columns: what comes so much later is prefetched
  using Blocks = Bf16Blocks<kLeaves, kShows, kPairs>;
  const std::size_t width = Blocks::width(), end = leafs.count / kLeaves * kLeaves;
  if (end == 0) return 0;
  // The next step's words lie as far from this one's as this one's from those before.
  const std::ptrdiff_t step_bytes =
      end > kLeaves ? leafs.words[kLeaves] - leafs.words[0] : std::ptrdiff_t{0};
  const auto place = [&](const Bf16Step<kLeaves>& step, std::size_t c, float* acc) {
    auto bytes = static_cast<std::ptrdiff_t>((c + ahead) * sizeof(std::uint16_t));
    if (c + ahead >= block.columns)
      bytes += step_bytes - static_cast<std::ptrdiff_t>(block.columns * sizeof(std::uint16_t));
    return typename Blocks::Place{&step, c, bytes, acc + c};
  };
  for (std::size_t r = 0; r < block.rows; ++r) {
    float* acc = block.acc + r * block.stride;
    for (std::size_t c = 0; c < block.columns; c += width) Blocks::part(acc + c);
    Bf16Step<kLeaves> steps[2] = {{leafs, r, 0}, {leafs, r, 0}};
    Blocks blocks(f, leafs.a_most_exponent);
    auto now = place(steps[0], 0, acc);
    blocks.begin(now);
    for (std::size_t first = 0; first < end; first += kLeaves) {
      const std::size_t at = first / kLeaves % 2;
      if (first + kLeaves < end) steps[1 - at] = {leafs, r, first + kLeaves};
      for (std::size_t c = 0; c < block.columns; c += width) {
        const auto next = c + width < block.columns ? place(steps[at], c + width, acc)
                                                    : place(steps[1 - at], 0, acc);
        blocks.step(now, next, [&](const typename Blocks::Place& bad) {
          Blocks::join(bad.acc);
          AlignedRow<kPairs, AlignedLanes::Out::truncate, WordColumns<Bf16Words>>(
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
    constexpr std::size_t pairs = 2;
    const auto steps = [&]<bool kShows>() {
      if (lanes.addends == 16) done = StepsBf16<16, kShows, pairs>(f, leafs, block, reference);
      if (lanes.addends == 8) done = StepsBf16<8, kShows, pairs>(f, leafs, block, reference);
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
