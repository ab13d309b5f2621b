// Which rows or columns are wanted: a set of indices, kept as runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace whybits {

class IndexSet {
 public:
  IndexSet() = default;
  /// begin ≤ i < end.
  static IndexSet range(std::uint64_t begin, std::uint64_t end);
  static IndexSet all(std::uint64_t n) { return range(0, n); }
  /// Any order, repetitions allowed.
  static IndexSet of(std::span<const std::uint64_t> indices);

  std::uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool contains(std::uint64_t index) const;
  /// How many members are smaller. Precondition: contains(index). O(log runs).
  std::uint64_t position(std::uint64_t index) const;
  std::uint64_t first() const { return runs_.front().begin; }  ///< precondition: !empty()
  std::uint64_t last() const { return runs_.back().end - 1; }  ///< precondition: !empty()

  void insert(std::uint64_t begin, std::uint64_t end);
  void insert(const IndexSet& other);
  IndexSet moved(std::uint64_t distance) const;

  template <class Visit>
  void for_each(Visit visit) const {  ///< ascending
    for (const Run& run : runs_)
      for (std::uint64_t i = run.begin; i < run.end; ++i) visit(i);
  }

  bool operator==(const IndexSet&) const = default;

 private:
  struct Run {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t before;  ///< members in earlier runs
    bool operator==(const Run&) const = default;
  };
  void count();

  std::vector<Run> runs_;  ///< ascending, with gaps between them
  std::uint64_t size_ = 0;
};

}  // namespace whybits
