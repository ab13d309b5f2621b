// Exact sums of doubles whose significands have at most 48 bits: one integer for each sign and
// exponent, so that a term costs one addition and no comparison. (The large superaccumulator of R.
// Neal, arXiv:1505.05571. There a bin counts its terms, because 53-bit significands leave only 11
// spare bits; 48-bit ones leave 16.)
//
// Why it is exact. A product of two f32 values is a multiple of 2^−298 below 2^256: a normal double
// whose last five bits are zero. Without them its significand is below 2^48, and a bin holds fewer
// than 2^16 of them. Terms go to two sets of bins in turn, because equal exponents come in runs and
// an addition to memory waits for the previous one.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "sim/format.hpp"

namespace whybits::exact {

class ProductBins {
 public:
  /// Terms that may be added before the bins are emptied.
  static constexpr std::size_t capacity = std::size_t{1} << 17;
  /// Exponent fields of products that are not zero: 2^−298 to below 2^256.
  static constexpr int lowest_field = 1023 - 298;
  static constexpr int highest_field = 1023 + 255;

  ProductBins() {
    clear(0);
    clear(special_field);
    for (int field = lowest_field; field <= highest_field; ++field) clear(field);
  }

  void add(std::span<const double> terms) {
    std::size_t i = 0;
    for (; i + 1 < terms.size(); i += 2) {
      put(0, terms[i]);
      put(1, terms[i + 1]);
    }
    if (i < terms.size()) put(0, terms[i]);
  }

  /// The same of the products x[i]·y[i]. Equal sizes.
  void add_products(std::span<const double> x, std::span<const double> y) {
    std::size_t i = 0;
    for (; i + 1 < x.size(); i += 2) {
      put(0, x[i] * y[i]);
      put(1, x[i + 1] * y[i + 1]);
    }
    if (i < x.size()) put(0, x[i] * y[i]);
  }

  /// A term was NaN or infinite since the bins were last emptied or this was last asked. It is not
  /// in the sum.
  bool take_special() { return take(special_field) != 0 || take(special_field + negative) != 0; }

  /// Calls deposit(value, exponent) for each exponent that had terms, zero(negative) if there were
  /// zeros, and forgets everything. Fields outside [low, high] must not have been used.
  template <class Deposit, class Zero>
  void empty(Deposit deposit, Zero zero, int low = lowest_field, int high = highest_field) {
    for (int field = low; field <= high; ++field) {
      const Int128 plus = take(field);
      const Int128 minus = take(field + negative);
      if ((plus | minus) != 0) deposit(plus - minus, field - 1023 - 47);
    }
    if (take(0) != 0) zero(false);
    if (take(negative) != 0) zero(true);
  }

 private:
  static constexpr int negative = 2048;
  static constexpr int special_field = 2047;

  void put(std::size_t set, double term) {
    const auto word = std::bit_cast<std::uint64_t>(term);
    bins_[set][word >> 52] += ((word << 12) >> 17) | std::uint64_t{1} << 47;
  }
  Int128 take(int index) {
    const auto i = static_cast<std::size_t>(index);
    const Int128 sum = Int128{bins_[0][i]} + bins_[1][i];
    bins_[0][i] = bins_[1][i] = 0;
    return sum;
  }
  void clear(int field) {
    for (auto& set : bins_)
      set[static_cast<std::size_t>(field)] = set[static_cast<std::size_t>(field + negative)] = 0;
  }

  // Only the fields that can occur are ever touched.
  std::array<std::array<std::uint64_t, 4096>, 2> bins_;
};

}  // namespace whybits::exact
