#include "exact/measure.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace whybits::exact {
namespace {

bool code_is_nan(const Format& format, Bits code) {
  return unpack(format, code).cls == FpClass::nan;
}

}  // namespace

std::optional<std::uint64_t> ulp_distance(const Format& format, Bits a, Bits b) {
  if (code_is_nan(format, a) || code_is_nan(format, b)) return std::nullopt;
  // Without the sign, codes are already numbered in the order of their magnitudes.
  const Bits magnitude_a = a & format.magnitude_mask();
  const Bits magnitude_b = b & format.magnitude_mask();
  const bool same_sign = ((a ^ b) & format.sign_mask()) == 0;
  if (!same_sign) return magnitude_a + magnitude_b;
  return magnitude_a > magnitude_b ? magnitude_a - magnitude_b : magnitude_b - magnitude_a;
}

void UlpHistogram::add(const std::optional<std::uint64_t>& distance) {
  if (!distance) {
    ++not_comparable_;
    return;
  }
  ++buckets_[static_cast<std::size_t>(std::bit_width(*distance))];
  largest_ = std::max(largest_, *distance);
}

std::size_t UlpHistogram::used_buckets() const {
  std::size_t used = bucket_count;
  while (used > 0 && buckets_[used - 1] == 0) --used;
  return used;
}

std::uint64_t UlpHistogram::bucket_low(std::size_t bucket) {
  return bucket == 0 ? 0 : std::uint64_t{1} << (bucket - 1);
}

std::uint64_t UlpHistogram::bucket_high(std::size_t bucket) {
  return bucket == 0 ? 0 : bucket_low(bucket) + (bucket_low(bucket) - 1);
}

void ErrorStatistics::add(const Format& format, Bits result, const Dyadic& exact) {
  ++count_;
  const auto exact_value = static_cast<long double>(exact.to_double());
  exact_squares_ += exact_value * exact_value;
  if (!unpack(format, result).finite()) {
    ++not_finite_;
    return;
  }
  const Dyadic error = Dyadic::from_code(format, result) - exact;
  if (error.is_zero()) {
    ++exact_;
    return;
  }
  const auto value = static_cast<long double>(error.to_double());
  sum_ += value;
  squares_ += value * value;
  max_ = std::max(max_, std::abs(value));
  if (exact.sign() != 0) ++(error.sign() == exact.sign() ? away_ : toward_);
}

double ErrorStatistics::mean_of(long double sum) const {
  if (count_ == 0) return 0;
  return static_cast<double>(sum / static_cast<long double>(count_));
}

double ErrorStatistics::rms() const {
  if (not_finite_ != 0) return std::numeric_limits<double>::quiet_NaN();
  if (count_ == 0) return 0;
  return static_cast<double>(std::sqrt(squares_ / static_cast<long double>(count_)));
}

double ErrorStatistics::max() const {
  return not_finite_ != 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(max_);
}

double ErrorStatistics::mean() const {
  return not_finite_ != 0 ? std::numeric_limits<double>::quiet_NaN() : mean_of(sum_);
}

double ErrorStatistics::rms_exact() const {
  if (count_ == 0) return 0;
  return static_cast<double>(std::sqrt(exact_squares_ / static_cast<long double>(count_)));
}

std::optional<double> ErrorStatistics::toward_zero() const {
  if (toward_ + away_ == 0) return std::nullopt;
  return static_cast<double>(toward_) / static_cast<double>(toward_ + away_);
}

}  // namespace whybits::exact
