// Operands of a tile as lanes: rows decoded once, columns decoded as they are needed.
#pragma once

#include <type_traits>
#include <vector>

#include "sim/fast/aligned_vector.hpp"
#include "sim/fast/kernels/kernels.hpp"
#include "sim/fast/lane_operands.hpp"

namespace whybits::fast {

/// The words as they lie, if they can be read as values of T.
template <class T>
const T* in_place(const std::byte* words) {
  return reinterpret_cast<std::uintptr_t>(words) % alignof(T) == 0
             ? reinterpret_cast<const T*>(words)
             : nullptr;
}

/// `count` values of a row from `column` on. T has every value of the format.
template <class T>
void decode_row(const Kernels& kernels, const CodeMatrix& from, std::uint64_t row,
                std::uint64_t column, std::uint64_t count, std::vector<std::byte>& scratch,
                T* values);

/// `count` values to storage words; NaN gives any code. True if there is one.
template <class T>
bool encode_row(const Kernels& kernels, const Format& format, const T* values, std::uint64_t count,
                std::byte* words);

/// Some leaves of the rows of the first operand, as one view of a plan sees them.
template <class T>
class RowLanes {
 public:
  /// Leaves of a row that are decoded at once, if more than those that are asked for.
  static constexpr std::size_t most_span = 2048;

  /// Turned rows that are kept for leaves far apart, at most.
  static constexpr std::uint64_t most_turned_bytes = std::uint64_t{4} << 20;
  static std::uint64_t turned_bytes(const CodeMatrix& a, std::uint64_t rows) {
    return rows * a.columns() * a.word_bytes();
  }

  /// Rows [row, row + rows) of these leaves, each to be read so often; no_leaf is zero. Leaves that
  /// need no decoding stay where they lie, or come from a turned copy of the rows. Of others, those
  /// near each other are decoded with what is between them, the rest one by one.
  void fill(const Kernels& kernels, const Plan::View& view, const CodeMatrix& a,
            std::span<const std::uint32_t> leaves, std::uint64_t row, std::uint64_t rows,
            std::uint64_t readings);
  /// Other words may lie where those of the last fill lay.
  void forget() { turned_from_ = nullptr; }
  const T* values() const { return values_; }
  const std::int32_t* exponents() const { return exponents_.data(); }
  std::size_t stride() const { return stride_; }
  /// Leaf i of the fill is element which()[i] of a row.
  const std::uint32_t* which() const { return which_.data(); }
  int most_exponent() const { return most_exponent_; }  ///< of any that was decoded
  /// Of values among the leaves and between them.
  ExponentRange range(const Kernels& kernels) const
    requires std::is_same_v<T, float>;

 private:
  static constexpr std::uint64_t few_rows = 3;  ///< for which nothing is turned

  void decode_row(const Kernels& kernels, const Plan::View& view, const Format& format,
                  const std::byte* words, std::uint64_t r);
  void fill_across(const CodeMatrix& a, std::uint64_t row);

  const T* values_ = nullptr;
  std::vector<T> buffer_;
  std::vector<std::int32_t> exponents_;
  std::vector<std::uint32_t> which_;
  std::vector<std::byte> words_;
  std::size_t length_ = 0, stride_ = 0, first_ = 0;
  std::uint64_t rows_ = 0;
  bool across_ = false;  ///< a leaf's rows lie side by side
  CodeMatrix turned_;
  const std::byte* turned_from_ = nullptr;  ///< the first word of those rows
  int most_exponent_ = no_exponent;
};

/// Leaves of `column_unit` columns at a time: pointers to values, decoded into a small buffer or
/// where they lie.
template <class T>
class ColumnLanes {
 public:
  /// A fill of this many leaves stays in the second cache; a single step may need more.
  static constexpr std::size_t most_leaves = 256;
  /// From leaf to leaf: an odd number of cache lines, so that a few columns of all leaves are
  /// spread over the sets of the first cache.
  static constexpr std::size_t stride = column_unit + 64 / sizeof(T);

  ColumnLanes();
  /// `leaves` may hold no_leaf: zeros. Columns beyond the matrix are zeros. Leaves that few rows
  /// use stay where they lie, if they need no decoding; for many they are put side by side, because
  /// rows of a matrix often fall on the same sets of a cache.
  void fill(const Kernels& kernels, const Plan::View& view, const CodeMatrix& b,
            std::span<const std::uint32_t> leaves, std::uint64_t column, std::uint64_t columns,
            std::uint64_t rows);
  const T* const* values() const { return values_.data(); }
  const std::int16_t* const* exponents() const { return exponents_.data(); }

 private:
  const std::byte* words(const CodeMatrix& b, std::uint32_t leaf, std::uint64_t column,
                         std::uint64_t columns);

  void hold(std::size_t leaves);

  AlignedVector<T> buffer_;
  AlignedVector<std::int16_t> exponent_buffer_;
  std::vector<const T*> values_;
  std::vector<const std::int16_t*> exponents_;
  AlignedVector<T> zeros_;
  AlignedVector<std::int16_t> no_exponents_;
  std::vector<std::byte> gathered_;
};

}  // namespace whybits::fast
