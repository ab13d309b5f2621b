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

/// A square of 16 bytes a row. Putting word i of rows r and r + side/2 side by side, for all i, is
/// a shuffle of the side² words; as many rounds as the side has bits are a transpose.
template <class Word>
HWY_INLINE void TurnSquare(const std::byte* from, std::uint64_t from_apart, std::byte* to,
                           std::uint64_t to_apart) {
  constexpr std::size_t side = turned_bytes_of_row / sizeof(Word);
  const hn::FixedTag<Word, side> d;
  using V = hn::Vec<decltype(d)>;
  V rows[side], next[side];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < side; ++i)
    rows[i] = hn::LoadU(d, reinterpret_cast<const Word*>(from + i * from_apart));
#pragma GCC unroll 4
  for (std::size_t round = 1; round < side; round *= 2) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < side / 2; ++i) {
      next[2 * i] = hn::InterleaveLower(d, rows[i], rows[i + side / 2]);
      next[2 * i + 1] = hn::InterleaveUpper(d, rows[i], rows[i + side / 2]);
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < side; ++i) rows[i] = next[i];
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < side; ++i)
    hn::StoreU(rows[i], d, reinterpret_cast<Word*>(to + i * to_apart));
}

/// A cache line of every row at a time.
template <class Word>
HWY_INLINE void TurnSquares(const TurnedWords& w) {
  constexpr std::size_t side = turned_bytes_of_row / sizeof(Word), line = 64 / sizeof(Word);
  for (std::uint64_t c = 0; c < w.columns; c += line) {
    const std::uint64_t last = std::min<std::uint64_t>(w.columns, c + line);
    for (std::uint64_t r = 0; r < w.rows; r += side)
      for (std::uint64_t i = c; i < last; i += side)
        TurnSquare<Word>(w.from + r * w.from_apart + i * sizeof(Word), w.from_apart,
                         w.to + i * w.to_apart + r * sizeof(Word), w.to_apart);
  }
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
