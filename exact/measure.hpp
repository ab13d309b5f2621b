// How far apart: codes in units of their format's last place, results from the exact value.
// "Same bits?" is another question and is asked of words (lab/compare.hpp): here +0 and −0 are 0
// ulp apart, and a NaN is not a distance.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/dyadic.hpp"
#include "sim/format.hpp"

namespace whybits::exact {

/// Steps from one code to the other through the format's numbers in their order, infinities
/// included as the step after the largest. nullopt if either is NaN.
std::optional<std::uint64_t> ulp_distance(const Format& format, Bits a, Bits b);

/// Counts of distances by their width: 0, 1, 2–3, 4–7, … 2^63 and more.
class UlpHistogram {
 public:
  static constexpr std::size_t bucket_count = 65;

  void add(const std::optional<std::uint64_t>& distance);

  /// Bucket 0 counts distance 0, bucket b ≥ 1 distances 2^(b−1) to 2^b − 1.
  const std::array<std::uint64_t, bucket_count>& buckets() const { return buckets_; }
  std::uint64_t not_comparable() const { return not_comparable_; }  ///< one of the two is NaN
  std::uint64_t largest() const { return largest_; }
  std::size_t used_buckets() const;  ///< one past the last bucket that is not empty
  static std::uint64_t bucket_low(std::size_t bucket);
  static std::uint64_t bucket_high(std::size_t bucket);

 private:
  std::array<std::uint64_t, bucket_count> buckets_{};
  std::uint64_t not_comparable_ = 0;
  std::uint64_t largest_ = 0;
};

/// Errors of results against exact values, in the unit of the values. A NaN or infinite result
/// counts in not_finite() and makes rms(), max() and mean() NaN: no comparison with a bound passes.
class ErrorStatistics {
 public:
  void add(const Format& format, Bits result, const Dyadic& exact);

  std::uint64_t count() const { return count_; }
  std::uint64_t not_finite() const { return not_finite_; }
  std::uint64_t exact_results() const { return exact_; }
  double rms() const;        ///< root of the mean square error; 0 for no results
  double max() const;        ///< largest |result − exact|
  double mean() const;       ///< of result − exact, with its sign
  double rms_exact() const;  ///< root of the mean square of the exact values, to relate rms() to

  /// Of the results that are not exact: the share whose error points toward zero. One half means
  /// no bias, 1 means truncation. nullopt if none is inexact, or where the exact value is 0.
  std::optional<double> toward_zero() const;

 private:
  double mean_of(long double sum) const;

  std::uint64_t count_ = 0, not_finite_ = 0, exact_ = 0, toward_ = 0, away_ = 0;
  // long double, so that squares neither underflow nor overflow.
  long double sum_ = 0, squares_ = 0, exact_squares_ = 0, max_ = 0;
};

}  // namespace whybits::exact
