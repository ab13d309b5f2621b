// Sequences of tree nodes, kept as runs.
//
// A node is nothing, a leaf, or a shape placed by offset and stride. An Items is a sequence of
// nodes in canonical form: maximal runs of equal nodes at equal distances, taken greedily from the
// left, and equal runs at equal distances grouped once more. The same sequence is always the same
// data, however it was appended, so that comparing and hashing cost O(runs).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/work_budget.hpp"

namespace whybits {

struct Shape;
using ShapeRef = std::shared_ptr<const Shape>;

struct Node {
  enum class Kind : std::uint8_t { empty, leaf, shape };
  Kind kind = Kind::empty;
  ShapeRef shape;           ///< kind == shape
  std::int64_t offset = 0;  ///< leaf number, or where leaf 0 of the shape lies
  std::int64_t stride = 1;  ///< distance of the shape's leaves; 1 for leaves

  static Node leaf(std::int64_t index) { return {Kind::leaf, nullptr, index, 1}; }
  bool is_empty() const { return kind == Kind::empty; }
  bool is_leaf() const { return kind == Kind::leaf; }
};

/// repeats × count nodes: node (r, i) is `node` with its offset moved by r·repeat_step + i·step.
struct Run {
  Node node;
  std::int64_t step = 0;  ///< 0 if count is 1
  std::uint64_t count = 1;
  std::int64_t repeat_step = 0;  ///< 0 if repeats is 1
  std::uint64_t repeats = 1;

  std::uint64_t size() const { return count * repeats; }
  Node at(std::uint64_t i) const;
};

class Items {
 public:
  /// Leaves 0 … n−1.
  static Items leaves(std::uint64_t n);

  void push(const Node& node) { push(node, 0, 1); }
  /// `count` equal nodes, `step` apart. Amortised O(1).
  void push(const Node& node, std::int64_t step, std::uint64_t count);
  /// All repeats of a run, O(1) if they are regular here too.
  void push(const Run& run);
  void append(const Items& other);

  std::uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Node at(std::uint64_t i) const;  ///< O(runs)
  const std::vector<Run>& runs() const { return runs_; }
  /// The only run if the sequence is one run without repeats, else null.
  const Run* single_run() const;

  /// Items first, first + stride, … (count of them). O(1) on a single run, else O(runs + count).
  Items select(std::uint64_t first, std::uint64_t stride, std::uint64_t count) const;
  Items range(std::uint64_t first, std::uint64_t count) const { return select(first, 1, count); }
  /// The same nodes in another order or place.
  Items reversed() const;
  Items moved(std::int64_t distance) const;
  /// From local to outer coordinates: leaf x becomes offset + stride · x (stride > 0) …
  Items placed(std::int64_t offset, std::int64_t stride) const;
  /// … and back: leaf x becomes (x − base) / divisor.
  Items localised(std::int64_t base, std::int64_t divisor) const;
  bool has_empty() const;
  Items without_empty() const;

  template <class Visit>
  void for_each(Visit visit) const {
    for (const Run& run : runs_)
      for (std::uint64_t i = 0; i < run.size(); ++i) visit(run.at(i));
  }

 private:
  void push_single(const Node& node);

  /// The last run is always plain (no repeats) and may still grow; earlier ones are final.
  std::vector<Run> runs_;
  std::uint64_t size_ = 0;
};

/// Finds items by number in O(log runs). Borrows the sequence; charges a budget for what it lists.
class ItemsIndex {
 public:
  explicit ItemsIndex(const Items& items, WorkBudget* budget = nullptr);

  Node at(std::uint64_t i) const;
  Items select(std::uint64_t first, std::uint64_t stride, std::uint64_t count) const;

  /// Where an item stands: its run, and its number in there.
  struct Place {
    const Run* run;
    std::uint64_t number;
  };
  Place place(std::uint64_t i) const;

 private:
  const std::vector<Run>& runs_;
  std::vector<std::uint64_t> ends_;  ///< items up to and including each run
  WorkBudget* budget_;
};

/// Number of leaves between a node's first and last, both included (its footprint is
/// offset + stride · [0, extent)); 0 for an empty node.
std::uint64_t extent(const Node& node);
std::uint64_t leaf_count(const Node& node);
Node placed(const Node& node, std::int64_t offset, std::int64_t stride);
Node localised(const Node& node, std::int64_t base, std::int64_t divisor);

/// The smallest leaf of a set of nodes and the greatest common divisor of all distances in it.
struct Lattice {
  std::int64_t base = 0;
  std::int64_t last = 0;
  std::int64_t divisor = 0;  ///< 0 if there is at most one leaf
  bool any = false;

  void include(const Node& node);
  void include(const Items& items);
};

}  // namespace whybits
