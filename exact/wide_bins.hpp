// Exact sums of products of two doubles: one 128-bit integer for each sum of exponent fields.
//
// Why it is exact. A double is an integer below 2^53 times 2^(field − 1075), the field of a
// subnormal number counting as 1. Products are below 2^106, and a bin takes 2^20 of them.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/format.hpp"

namespace whybits::exact {

class WideBins {
 public:
  static constexpr std::size_t capacity = std::size_t{1} << 20;

  /// No NaN and no infinity.
  static bool finite(std::span<const double> values) {
    std::uint64_t seen = 0;
    for (const double value : values)
      seen |= (std::bit_cast<std::uint64_t>(value) >> 52 & 0x7ff) + 1;
    return (seen & 0x800) == 0;
  }

  /// Adds x[i]·y[i]. Returns false if all of these products are zero. Preconditions: equal sizes,
  /// finite, at most `capacity` terms since the bins were last emptied.
  bool add_products(std::span<const double> x, std::span<const double> y) {
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto a = std::bit_cast<std::uint64_t>(x[i]);
      const auto b = std::bit_cast<std::uint64_t>(y[i]);
      const Uint128 product = Uint128{significand(a)} * significand(b);
      const Int128 minus = -static_cast<Int128>((a ^ b) >> 63);
      bins_[field(a) + field(b)] += (static_cast<Int128>(product) ^ minus) - minus;
      seen |= static_cast<std::uint64_t>(product) | static_cast<std::uint64_t>(product >> 64);
    }
    return seen != 0;
  }

  /// Calls deposit(value, exponent) for each bin that is not zero, and forgets it.
  template <class Deposit>
  void empty(Deposit deposit) {
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      if (bins_[i] != 0) deposit(bins_[i], static_cast<int>(i) - 2 * 1075);
      bins_[i] = 0;
    }
  }

 private:
  static std::uint64_t normal(std::uint64_t word) { return (word << 1) >> 53 != 0 ? 1 : 0; }
  static std::uint64_t field(std::uint64_t word) {
    return ((word << 1) >> 53) + (1 - normal(word));
  }
  static std::uint64_t significand(std::uint64_t word) {
    return ((word << 12) >> 12) | normal(word) << 52;
  }

  std::vector<Int128> bins_ = std::vector<Int128>(4096);
};

}  // namespace whybits::exact
