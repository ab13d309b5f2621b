// Words of a matrix, rows becoming columns.
#if defined(WHYBITS_TURN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHYBITS_TURN_INL
#undef WHYBITS_TURN_INL
#else
#define WHYBITS_TURN_INL
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "sim/fast/kernels/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace whybits::fast::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Puts word i of rows r and r + side/2 side by side, for all i and r: a shuffle of the side²
/// words. As many rounds as `side` has bits are a transpose.
template <std::size_t kLeft, class D, class V, std::size_t kSide>
HWY_INLINE void ShuffleSquare(D d, V (&rows)[kSide]) {
  if constexpr (kLeft > 1) {
    V next[kSide];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kSide / 2; ++i) {
      next[2 * i] = hn::InterleaveLower(d, rows[i], rows[i + kSide / 2]);
      next[2 * i + 1] = hn::InterleaveUpper(d, rows[i], rows[i + kSide / 2]);
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kSide; ++i) rows[i] = next[i];
    ShuffleSquare<kLeft / 2>(d, rows);
  }
}

/// A square of 16 bytes a row.
template <class Word>
HWY_INLINE void TurnSquare(const std::byte* from, std::uint64_t from_apart, std::byte* to,
                           std::uint64_t to_apart) {
  constexpr std::size_t side = turned_bytes_of_row / sizeof(Word);
  const hn::FixedTag<Word, side> d;
  hn::Vec<decltype(d)> rows[side];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < side; ++i)
    rows[i] = hn::LoadU(d, reinterpret_cast<const Word*>(from + i * from_apart));
  ShuffleSquare<side>(d, rows);
#pragma GCC unroll 16
  for (std::size_t i = 0; i < side; ++i)
    hn::StoreU(rows[i], d, reinterpret_cast<Word*>(to + i * to_apart));
}

/// Blocks of whole cache lines on both sides. Those of the same rows follow each other: what is
/// read comes from far away, what is written should stay near.
template <class Word>
HWY_INLINE void TurnSquares(const TurnedWords& w) {
  constexpr std::uint64_t side = turned_bytes_of_row / sizeof(Word), line = 64 / sizeof(Word);
  for (std::uint64_t r = 0; r < w.rows; r += line)
    for (std::uint64_t c = 0; c < w.columns; c += line)
      for (std::uint64_t i = r; i < std::min(w.rows, r + line); i += side)
        for (std::uint64_t j = c; j < std::min(w.columns, c + line); j += side)
          TurnSquare<Word>(w.from + i * w.from_apart + j * sizeof(Word), w.from_apart,
                           w.to + j * w.to_apart + i * sizeof(Word), w.to_apart);
}

void Turn(std::size_t word_bytes, const TurnedWords& words) {
  switch (word_bytes) {
    case 1:
      return TurnSquares<std::uint8_t>(words);
    case 2:
      return TurnSquares<std::uint16_t>(words);
    case 4:
      return TurnSquares<std::uint32_t>(words);
    default:
      return TurnSquares<std::uint64_t>(words);
  }
}

}  // namespace whybits::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
