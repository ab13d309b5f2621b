#include "visualizer/model/pyramid.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/ceil_div.hpp"

namespace whybits::viz {

void MinMax::add(double value) {
  if (std::isnan(value)) return;
  min = std::min(min, value);
  max = std::max(max, value);
}

void MinMax::add(const MinMax& other) {
  min = std::min(min, other.min);
  max = std::max(max, other.max);
}

MinMaxPyramid::MinMaxPyramid(std::vector<double> values) : values_(std::move(values)) {
  std::vector<MinMax> level(ceil_div(values_.size(), fan));
  for (std::size_t i = 0; i < values_.size(); ++i) level[i / fan].add(values_[i]);
  while (level.size() > 1) {
    std::vector<MinMax> next(ceil_div(level.size(), fan));
    for (std::size_t i = 0; i < level.size(); ++i) next[i / fan].add(level[i]);
    levels_.push_back(std::move(level));
    level = std::move(next);
  }
  levels_.push_back(std::move(level));
}

MinMax MinMaxPyramid::range(std::size_t first, std::size_t last) const {
  MinMax out;
  last = std::min(last, values_.size());
  // Ragged ends at each level, whole groups one level up.
  while (first < last && first % fan != 0) out.add(values_[first++]);
  while (first < last && last % fan != 0) out.add(values_[--last]);
  for (const std::vector<MinMax>& level : levels_) {
    first /= fan;
    last /= fan;
    while (first < last && first % fan != 0) out.add(level[first++]);
    while (first < last && last % fan != 0) out.add(level[--last]);
    if (first >= last) break;
    // The top level has no level above that would take whole groups.
    if (&level == &levels_.back())
      while (first < last) out.add(level[first++]);
  }
  return out;
}

}  // namespace whybits::viz
