#include "sim/fast/leaf_lanes.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "sim/fast/reference_step.hpp"

namespace whybits::fast {
namespace {

/// Words that lie `stride` words apart, put side by side.
void gather_words(const std::byte* from, std::size_t word_bytes, std::uint64_t stride,
                  std::uint64_t count, std::vector<std::byte>& to) {
  to.resize(count * word_bytes);
  for (std::uint64_t i = 0; i < count; ++i)
    std::memcpy(to.data() + i * word_bytes, from + i * stride * word_bytes, word_bytes);
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

template <class T>
void RowLanes<T>::decode(const Kernels& kernels, const Plan::View& view, const CodeMatrix& a,
                         std::uint64_t row, std::uint64_t rows) {
  const std::uint64_t length = a.columns();
  most_exponent_ = no_exponent;
  stride_ = length + 1;
  values_.resize(rows * stride_);
  if (view.exponents) exponents_.resize(rows * stride_);
  for (std::uint64_t r = 0; r < rows; ++r) {
    T* values = values_.data() + r * stride_;
    const std::byte* words = length > 0 ? a.word(row + r, 0) : nullptr;
    if (a.column_stride() != 1) {
      gather_words(words, a.word_bytes(), a.column_stride(), length, words_);
      words = words_.data();
    }
    fast::decode(kernels, view, a.format(), true, words, length, values);
    values[length] = 0;
    if constexpr (std::is_same_v<T, float>) {
      if (!view.exponents) continue;
      std::vector<std::int16_t> exponents(length);
      kernels.exponents(values, length, view.a.min_exponent(), exponents.data());
      std::int32_t* twice = exponents_.data() + r * stride_;
      const auto pair = [](std::int16_t e) {
        return static_cast<std::int32_t>(static_cast<std::uint16_t>(e + exponent_bias) * 0x10001u);
      };
      for (std::uint64_t i = 0; i < length; ++i) twice[i] = pair(exponents[i]);
      for (const std::int16_t e : exponents) most_exponent_ = std::max<int>(most_exponent_, e);
      twice[length] = pair(no_exponent);
    }
  }
}

template <class T>
ColumnLanes<T>::ColumnLanes() : zeros_(column_unit), no_exponents_(column_unit, no_exponent) {
  hold(most_leaves);
}

template <class T>
void ColumnLanes<T>::hold(std::size_t leaves) {
  if (leaves <= values_.size()) return;
  buffer_.resize(leaves * column_unit);
  exponent_buffer_.resize(leaves * column_unit, no_exponent);
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
  const bool in_place = b.format() == own && b.column_stride() == 1 && columns == column_unit &&
                        rows <= few && (view.b == own || own == formats::f64);
  hold(leaves.size());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i] == no_leaf) {
      values_[i] = zeros_.data();
      exponents_[i] = no_exponents_.data();
      continue;
    }
    T* to = buffer_.data() + i * column_unit;
    if (in_place) {
      values_[i] = reinterpret_cast<const T*>(b.word(leaves[i], column));
    } else {
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
