// The vector kernels of one instruction set, as a table of functions on plain arrays.
//
// Lanes are outputs: a kernel takes a block of rows × columns accumulators and the same leaves for
// all of them. Columns come in multiples of `column_unit`; what lies beyond a matrix is padding
// that nobody reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/fast/element_step.hpp"
#include "sim/fast/plan.hpp"

namespace whybits::fast {

inline constexpr std::size_t column_unit = 64;
/// Outputs that a tree has on its stack at once: so many that steps cost little, and fit in the
/// first cache with the partial sums of some levels. A block's columns are no more.
inline constexpr std::size_t most_tree_lanes = 12 * column_unit;

/// Exponent of a zero operand: the sum of two is below, the sum with another far below, every
/// exponent that counts. Infinities and NaN are as far above.
inline constexpr std::int16_t no_exponent = -8192;
inline constexpr std::int16_t special_exponent = 16000;
/// Exponents of the first operand are biased so that those of products compare with float's field.
inline constexpr int exponent_bias = 127;

/// 2^least ≤ |v| < 2^(most + 1) of nonzero values; subnormal ones count as 2^-149 and more, 2^-126
/// and less. Infinities and NaN are as 2^128. Of no nonzero value: least is far above, most below.
struct ExponentRange {
  int least = 1024, most = -1024;

  ExponentRange with(const ExponentRange& other) const {
    return {std::min(least, other.least), std::max(most, other.most)};
  }
};
inline constexpr ExponentRange any_exponents{-149, 128};

/// Most products in one step of a unit whose leaves may come as words.
inline constexpr std::size_t most_word_leaves = 32;

/// The leaves of one fold or of a part of it, at whole steps.
template <class T>
struct Leafs {
  std::size_t count = 0;
  bool first_is_copied = false;          ///< it is the accumulator (add only)
  bool sum_is_added = false;             ///< to the accumulator; the first leaf begins the sum
  const T* const* b = nullptr;           ///< b[i]: `columns` values of leaf i
  const T* a = nullptr;                  ///< values of the rows; null: leaves are the values b
  std::size_t a_stride = 0;              ///< from row to row
  const T* const* paired = nullptr;      ///< instead of a: paired[i], laid out as b[i]
  const std::uint32_t* which = nullptr;  ///< leaf i has the value a[row · a_stride + which[i]]
  const std::int16_t* const* b_exponents = nullptr;
  /// Instead of b and b_exponents: 16-bit words of bf16 or f16, of products for few rows or of
  /// values that are added (add32, tree32).
  const std::byte* const* words = nullptr;
  bool words_are_bf16 = false;
  int a_most_exponent = 0;                    ///< of any a that the block's rows have
  const std::int32_t* a_exponents = nullptr;  ///< biased, twice in a word, laid out as a
  ExponentRange a_range = any_exponents;      ///< of a that the block's rows have
};

template <class T>
struct Block {
  T* acc = nullptr;
  std::size_t stride = 0;  ///< from row to row
  std::size_t rows = 0;
  std::size_t columns = 0;
};

/// Lanes for which the aligned kernel is not right: one step by the reference. Gets the accumulator
/// and gives the new one.
struct StepByReference {
  float (*step)(void* context, std::size_t row, std::size_t column, std::size_t first,
                std::size_t count, float acc);
  void* context;
};

/// Rows × columns words that become columns × rows: whole squares of so many bytes a row.
inline constexpr std::size_t turned_bytes_of_row = 16;
struct TurnedWords {
  const std::byte* from;
  std::uint64_t from_apart;  ///< bytes from row to row
  std::byte* to;
  std::uint64_t to_apart;
  std::uint64_t rows, columns;
};

struct Kernels {
  const char* name;        ///< "AVX-512", …
  std::size_t fold_bytes;  ///< of columns that a fold reads its rows for at once

  void (*decode)(const Decoding&, const std::byte* words, std::size_t count, float* values);
  /// Values of a format to its words; NaN gives any code. True if there is one.
  bool (*encode)(const Encoding&, const float* values, std::size_t count, std::byte* words);
  /// Exponents of values, at least `min_exponent`; no_exponent, special_exponent.
  void (*exponents)(const float* values, std::size_t count, int min_exponent, std::int16_t* out);
  /// The same, biased and twice in a word, as rows have them; returns the largest.
  int (*row_exponents)(const float* values, std::size_t count, int min_exponent, std::int32_t* out);

  ExponentRange (*range)(const float* values, std::size_t count);

  void (*turn)(std::size_t word_bytes, const TurnedWords&);

  void (*aligned)(const Arithmetic&, const Leafs<float>&, const Block<float>&,
                  const StepByReference&);
  void (*fma32)(const Arithmetic&, const Leafs<float>&, const Block<float>&);
  void (*fma64)(const Arithmetic&, const Leafs<double>&, const Block<double>&);
  void (*add32)(const Arithmetic&, const Leafs<float>&, const Block<float>&);
  void (*add64)(const Arithmetic&, const Leafs<double>&, const Block<double>&);
  void (*tree32)(const Arithmetic&, const std::vector<StackStep>&, const Leafs<float>&,
                 const Block<float>&);
  void (*tree64)(const Arithmetic&, const std::vector<StackStep>&, const Leafs<double>&,
                 const Block<double>&);
  void (*general32)(const Arithmetic&, const Leafs<float>&, const Block<float>&);
  void (*general64)(const Arithmetic&, const Leafs<double>&, const Block<double>&);

  /// Products of two operands that both differ from lane to lane: fma in any format.
  void (*pairs32)(const Arithmetic&, const Leafs<float>&, const Block<float>&);
  void (*pairs64)(const Arithmetic&, const Leafs<double>&, const Block<double>&);

  /// An elementwise operation on `count` lanes, a multiple of column_unit; `out` may be one of x.
  /// True if a result is NaN.
  bool (*elements32)(const ElementStep&, const float* const* x, float* out, std::size_t count);
  bool (*elements64)(const ElementStep&, const double* const* x, double* out, std::size_t count);

  // Registers, as arrays of `count` lanes (a multiple of column_unit).
  void (*sum32)(const Arithmetic&, float* acc, const float* x, std::size_t count);
  void (*sum64)(const Arithmetic&, double* acc, const double* x, std::size_t count);
  void (*round32)(const Rounder&, float* x, std::size_t count);
  void (*round64)(const Rounder&, double* x, std::size_t count);
};

/// Of the best instruction set that this processor has, or that was pinned; null if it has none of
/// those compiled in.
const Kernels* kernels();
/// The instruction sets that can be pinned here, best first.
std::vector<std::string> instruction_sets();
/// Makes kernels() those of one set; "" lets the processor decide again. False if it is not there.
/// Not while an evaluation runs.
bool pin_instruction_set(const std::string& name);

}  // namespace whybits::fast
