#include "sim/index_set.hpp"

#include <algorithm>

namespace whybits {

IndexSet IndexSet::range(std::uint64_t begin, std::uint64_t end) {
  IndexSet set;
  set.insert(begin, end);
  return set;
}

IndexSet IndexSet::of(std::span<const std::uint64_t> indices) {
  std::vector<std::uint64_t> sorted(indices.begin(), indices.end());
  std::sort(sorted.begin(), sorted.end());
  IndexSet set;
  for (const std::uint64_t i : sorted) {
    if (!set.runs_.empty() && i < set.runs_.back().end) continue;  // listed twice
    if (!set.runs_.empty() && i == set.runs_.back().end)
      ++set.runs_.back().end;
    else
      set.runs_.push_back({i, i + 1, 0});
  }
  set.count();
  return set;
}

bool IndexSet::contains(std::uint64_t index) const {
  const auto beyond = std::upper_bound(runs_.begin(), runs_.end(), index,
                                       [](std::uint64_t i, const Run& run) { return i < run.end; });
  return beyond != runs_.end() && index >= beyond->begin;
}

std::uint64_t IndexSet::position(std::uint64_t index) const {
  const auto run = std::upper_bound(runs_.begin(), runs_.end(), index,
                                    [](std::uint64_t i, const Run& r) { return i < r.end; });
  return run->before + (index - run->begin);
}

void IndexSet::insert(std::uint64_t begin, std::uint64_t end) {
  if (begin >= end) return;
  // The runs that touch [begin, end) become one.
  const auto low = std::lower_bound(runs_.begin(), runs_.end(), begin,
                                    [](const Run& run, std::uint64_t i) { return run.end < i; });
  const auto high = std::upper_bound(low, runs_.end(), end,
                                     [](std::uint64_t i, const Run& run) { return i < run.begin; });
  if (low != high) {
    begin = std::min(begin, low->begin);
    end = std::max(end, (high - 1)->end);
  }
  runs_.insert(runs_.erase(low, high), Run{begin, end, 0});
  count();
}

void IndexSet::insert(const IndexSet& other) {
  for (const Run& run : other.runs_) insert(run.begin, run.end);
}

IndexSet IndexSet::moved(std::uint64_t distance) const {
  IndexSet set = *this;
  for (Run& run : set.runs_) {
    run.begin += distance;
    run.end += distance;
  }
  return set;
}

void IndexSet::count() {
  size_ = 0;
  for (Run& run : runs_) {
    run.before = size_;
    size_ += run.end - run.begin;
  }
}

}  // namespace whybits
