#include "sim/fast/leaf_lanes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "sim/fast/ask_for.hpp"
#include "sim/fast/reference_step.hpp"
#include "sim/fast/turned.hpp"
#include "sim/fast/with_word.hpp"

namespace whybits::fast {
namespace {

/// Rows that are asked for in time: a processor does not guess across them.
constexpr std::uint64_t rows_ahead = 8;

/// Word after word to where it is wanted: as instructions, not as a call for each.
template <class From>
void copy_words(std::size_t word_bytes, std::size_t count, std::byte* to, From from) {
  with_word(word_bytes, [&]<class Word>(Word) {
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(to + i * sizeof(Word), from(i), sizeof(Word));
  });
}

/// Words that lie `stride` words apart, put side by side.
void gather_words(const std::byte* from, std::size_t word_bytes, std::uint64_t stride,
                  std::uint64_t count, std::vector<std::byte>& to) {
  to.resize(count * word_bytes);
  copy_words(word_bytes, count, to.data(),
             [&](std::size_t i) { return from + i * stride * word_bytes; });
}

void decode_doubles(const Kernels& kernels, const Plan::View& view, const Format& format,
                    bool first, const std::byte* words, std::size_t count, double* values) {
  if (format == formats::f64) {
    std::memcpy(values, words, count * sizeof(double));
    return;
  }
  if (fits_f32(format)) {
    constexpr std::size_t most = 256;
    float narrow[most];
    const Decoding decoding = fast::decoding(format, first ? view.a : view.b);
    for (std::size_t i = 0; i < count; i += most) {
      const std::size_t n = std::min(most, count - i);
      kernels.decode(decoding, words + i * static_cast<std::size_t>(decoding.word_bytes), n,
                     narrow);
      std::copy(narrow, narrow + n, values + i);
    }
    return;
  }
  const CodeMatrix one = CodeMatrix::borrow(format, 1, count, words);
  for (std::size_t i = 0; i < count; ++i) values[i] = decode_f64(format, one.at(0, i));
}

template <class T>
void decode(const Kernels& kernels, const Plan::View& view, const Format& format, bool first,
            const std::byte* words, std::size_t count, T* values) {
  if (format == (std::is_same_v<T, float> ? formats::f32 : formats::f64) &&
      (first ? view.a : view.b) == format)
    std::memcpy(values, words, count * sizeof(T));
  else if constexpr (std::is_same_v<T, float>)
    kernels.decode(decoding(format, first ? view.a : view.b), words, count, values);
  else
    decode_doubles(kernels, view, format, first, words, count, values);
}

}  // namespace

template <class T>
void decode_row(const Kernels& kernels, const CodeMatrix& from, std::uint64_t row,
                std::uint64_t column, std::uint64_t count, std::vector<std::byte>& scratch,
                T* values) {
  const std::byte* words = from.word(row, column);
  const Plan::View view{from.format(), from.format()};
  if (from.column_stride() == 0) {
    decode(kernels, view, from.format(), true, words, 1, values);
    std::fill(values + 1, values + count, values[0]);
    return;
  }
  if (from.column_stride() != 1) {
    gather_words(words, from.word_bytes(), from.column_stride(), count, scratch);
    words = scratch.data();
  }
  decode(kernels, view, from.format(), true, words, count, values);
}

template void decode_row(const Kernels&, const CodeMatrix&, std::uint64_t, std::uint64_t,
                         std::uint64_t, std::vector<std::byte>&, float*);
template void decode_row(const Kernels&, const CodeMatrix&, std::uint64_t, std::uint64_t,
                         std::uint64_t, std::vector<std::byte>&, double*);

template <>
bool encode_row(const Kernels& kernels, const Format& format, const float* values,
                std::uint64_t count, std::byte* words) {
  return kernels.encode(encoding(format), values, count, words);
}

template <>
bool encode_row(const Kernels&, const Format& format, const double* values, std::uint64_t count,
                std::byte* words) {
  encode_values(format, values, count, words);
  return std::any_of(values, values + count, [](double value) { return std::isnan(value); });
}

template <class T>
void RowLanes<T>::decode_row(const Kernels& kernels, const Plan::View& view, const Format& format,
                             const std::byte* words, std::uint64_t r) {
  T* values = buffer_.data() + r * stride_;
  fast::decode(kernels, view, format, true, words, length_, values);
  values[length_] = 0;
  if constexpr (std::is_same_v<T, float>) {
    if (!view.exponents) return;
    std::int32_t* exponents = exponents_.data() + r * stride_;
    const int most = kernels.row_exponents(values, length_, view.a.min_exponent(), exponents);
    most_exponent_ = std::max(most_exponent_, most);
    const auto none = static_cast<std::uint16_t>(no_exponent + exponent_bias);
    exponents[length_] = static_cast<std::int32_t>(none * 0x10001u);
  }
}

template <class T>
ExponentRange RowLanes<T>::range(const Kernels& kernels) const
  requires std::is_same_v<T, float>
{
  if (across_) return kernels.range(values_, buffer_.size());
  ExponentRange range;
  for (std::uint64_t r = 0; r < rows_; ++r) {
    const T* values = values_ + r * stride_ + first_;
    if (r + rows_ahead < rows_)
      ask_for(reinterpret_cast<const std::byte*>(values + rows_ahead * stride_),
              length_ * sizeof(T));
    range = range.with(kernels.range(values, length_));
  }
  return range;
}

/// From the turned rows, where those of a leaf lie side by side, each leaf after the other: strides
/// of a power of two would fall on the same sets of a cache.
template <class T>
void RowLanes<T>::fill_across(const CodeMatrix& a, std::uint64_t row) {
  if (const std::byte* here = a.word(row, 0); turned_from_ != here || turned_.columns() != rows_) {
    turned_ = turned(a.window(row, rows_, 0, a.columns()));
    turned_from_ = here;
  }
  buffer_.resize(rows_ * which_.size());
  values_ = buffer_.data();
  stride_ = 1;
  for (std::size_t i = 0; i < which_.size(); ++i) {
    std::memcpy(buffer_.data() + i * rows_, turned_.word(which_[i], 0), rows_ * sizeof(T));
    which_[i] = static_cast<std::uint32_t>(i * rows_);
  }
  across_ = true;
}

template <class T>
void RowLanes<T>::fill(const Kernels& kernels, const Plan::View& view, const CodeMatrix& a,
                       std::span<const std::uint32_t> leaves, std::uint64_t row, std::uint64_t rows,
                       std::uint64_t readings) {
  most_exponent_ = no_exponent;
  std::uint32_t first = no_leaf, last = 0;
  bool padded = false;
  for (const std::uint32_t leaf : leaves) {
    padded |= leaf == no_leaf;
    if (leaf == no_leaf) continue;
    first = std::min(first, leaf);
    last = std::max(last, leaf);
  }
  which_.assign(leaves.begin(), leaves.end());
  rows_ = rows;
  first_ = 0;
  across_ = false;
  const std::uint64_t span = first == no_leaf ? 0 : std::uint64_t{last} - first + 1;
  const Format own = std::is_same_v<T, float> ? formats::f32 : formats::f64;
  const bool plain = !padded && !view.exponents && a.format() == own && view.a == own;
  // In place, a leaf that is far from the others takes a cache line whenever a tile reads it.
  constexpr std::uint64_t most_apart = 4, most_readings = 2;
  if (plain && span > most_apart * leaves.size() && rows > few_rows && readings > most_readings &&
      turned_bytes(a, rows) <= most_turned_bytes)
    return fill_across(a, row);
  // Rows of a matrix often fall on the same sets of a cache, which has room for a fold's eight.
  constexpr std::uint64_t often = 16;
  if (plain && a.column_stride() == 1 && (rows <= few_rows || readings < often))
    if (const T* words = in_place<T>(a.word(row, 0))) {
      values_ = words;
      stride_ = a.row_stride();
      first_ = first;
      length_ = span;
      return;
    }
  const bool near =
      span <=
      std::max<std::uint64_t>(leaves.size(), std::min<std::uint64_t>(8 * leaves.size(), most_span));
  length_ = near ? span : leaves.size();
  stride_ = length_ + 1;
  buffer_.resize(rows * stride_);
  if (view.exponents) exponents_.resize(rows * stride_);
  values_ = buffer_.data();
  for (std::size_t i = 0; i < which_.size(); ++i)
    which_[i] = leaves[i] == no_leaf ? static_cast<std::uint32_t>(length_)
                : near               ? leaves[i] - first
                                     : static_cast<std::uint32_t>(i);
  const std::size_t bytes = a.word_bytes();
  for (std::uint64_t r = 0; r < rows; ++r) {
    if (near && (a.column_stride() == 1 || length_ == 0)) {
      if (r + rows_ahead < rows && length_ > 0)
        ask_for(a.word(row + r + rows_ahead, first), length_ * bytes);
      decode_row(kernels, view, a.format(), length_ > 0 ? a.word(row + r, first) : nullptr, r);
      continue;
    }
    if (near) {
      gather_words(a.word(row + r, first), bytes, a.column_stride(), length_, words_);
    } else {
      static constexpr std::byte zero[sizeof(std::uint64_t)] = {};
      const std::byte* first_word = a.word(row + r, 0);
      const std::uint64_t step = a.column_stride() * bytes;
      words_.resize(leaves.size() * bytes);
      copy_words(bytes, leaves.size(), words_.data(), [&](std::size_t i) {
        return leaves[i] == no_leaf ? zero : first_word + leaves[i] * step;
      });
    }
    decode_row(kernels, view, a.format(), words_.data(), r);
  }
}

template <class T>
ColumnLanes<T>::ColumnLanes()
    : zeros_(column_unit, T{0}), no_exponents_(column_unit, no_exponent) {}

template <class T>
void ColumnLanes<T>::hold(std::size_t leaves) {
  if (leaves <= values_.size()) return;
  buffer_.resize(leaves * stride);
  exponent_buffer_.resize(leaves * column_unit);
  values_.resize(leaves);
  exponents_.resize(leaves);
}

template <class T>
const std::byte* ColumnLanes<T>::words(const CodeMatrix& b, std::uint32_t leaf,
                                       std::uint64_t column, std::uint64_t columns) {
  const std::byte* from = b.word(leaf, column);
  if (b.column_stride() == 1) return from;
  gather_words(from, b.word_bytes(), b.column_stride(), columns, gathered_);
  return gathered_.data();
}

template <class T>
void ColumnLanes<T>::fill(const Kernels& kernels, const Plan::View& view, const CodeMatrix& b,
                          std::span<const std::uint32_t> leaves, std::uint64_t column,
                          std::uint64_t columns, std::uint64_t rows) {
  constexpr std::uint64_t few = 8;
  const Format own = std::is_same_v<T, float> ? formats::f32 : formats::f64;
  const bool no_decoding = b.format() == own && b.column_stride() == 1 && columns == column_unit &&
                           rows <= few && (view.b == own || own == formats::f64);
  hold(leaves.size());
  constexpr std::size_t ahead = 3;  // leaves: those of a tree lie where no processor guesses
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (i + ahead < leaves.size() && leaves[i + ahead] != no_leaf && b.column_stride() == 1)
      ask_for(b.word(leaves[i + ahead], column), columns * b.word_bytes());
    if (leaves[i] == no_leaf) {
      values_[i] = zeros_.data();
      exponents_[i] = no_exponents_.data();
      continue;
    }
    T* to = buffer_.data() + i * stride;
    values_[i] = no_decoding ? in_place<T>(b.word(leaves[i], column)) : nullptr;
    if (values_[i] == nullptr) {
      decode(kernels, view, b.format(), false, words(b, leaves[i], column, columns), columns, to);
      std::fill(to + columns, to + column_unit, T{0});
      values_[i] = to;
    }
    if constexpr (std::is_same_v<T, float>) {
      if (!view.exponents) continue;
      std::int16_t* exponents = exponent_buffer_.data() + i * column_unit;
      kernels.exponents(values_[i], column_unit, view.b.min_exponent(), exponents);
      exponents_[i] = exponents;
    }
  }
}

template class RowLanes<float>;
template class RowLanes<double>;
template class ColumnLanes<float>;
template class ColumnLanes<double>;

}  // namespace whybits::fast
