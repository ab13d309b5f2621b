// Smallest and largest of any range of a list, without touching each element.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace whybits::viz {

struct MinMax {
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();

  bool empty() const { return min > max; }
  void add(double value);
  void add(const MinMax& other);
  bool operator==(const MinMax&) const = default;
};

/// NaN counts as no value. 1/15 more memory than the list.
class MinMaxPyramid {
 public:
  MinMaxPyramid() = default;
  explicit MinMaxPyramid(std::vector<double> values);

  const std::vector<double>& values() const { return values_; }
  std::size_t size() const { return values_.size(); }
  /// Of elements first … last − 1. O(log size).
  MinMax range(std::size_t first, std::size_t last) const;

 private:
  static constexpr std::size_t fan = 16;
  std::vector<double> values_;
  std::vector<std::vector<MinMax>> levels_;  ///< of 16, 256, … elements
};

}  // namespace whybits::viz
