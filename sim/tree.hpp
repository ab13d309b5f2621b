// A topology for one n: what is added to what, in which order, by which unit.
//
// Equal subtrees are one Shape. A shape's leaves are numbered from 0 in its own coordinates; a
// Node places it: leaf j of the shape is leaf offset + stride · j of the parent. Children are kept
// as runs (items.hpp), so that a fold of 10⁶ leaves is one shape with one run.
//
// Trees are canonical: equal trees are equal data, however they were written. In particular
//  - a fold of one addend by an IEEE add is that addend;
//  - a fold whose first item is a fold by the same add continues it;
//  - a chained seam that falls on the step grid of its unit is no seam, and other seams are
//    numbers in the fold, not nested folds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/items.hpp"
#include "sim/schema.hpp"

namespace whybits {

/// Seams at first, first + step, … (count of them).
struct Seam {
  std::uint64_t first = 0;
  std::uint64_t step = 0;  ///< 0 if count is 1
  std::uint64_t count = 1;
  bool operator==(const Seam&) const = default;
};
void push_seam(std::vector<Seam>& seams, std::uint64_t position);
void push_seams(std::vector<Seam>& seams, const Seam& run);  ///< all of a run, O(1)

struct Shape {
  enum class Op : std::uint8_t {
    fold,    ///< left fold of items by unit
    any,     ///< the same, order not defined
    round,   ///< conversion of the only item
    operand  ///< the only item + a named operand, in f32
  };
  enum class Begin : std::uint8_t { first, zero, c, node };

  Op op = Op::fold;
  Begin begin = Begin::first;
  std::shared_ptr<const Unit> unit;  ///< fold, any
  Node carry;                        ///< begin == node: the accumulator that is continued
  Items items;
  /// Where the step grid restarts inside a fold, counted in items, as runs; only seams that are
  /// off the grid of the unit are kept.
  std::vector<Seam> seams;
  Conversion conversion;  ///< round
  std::string operand;    ///< operand

  std::uint64_t leaves = 0;  ///< addends below, c and named operands not counted
  std::uint64_t extent = 0;  ///< 1 + largest leaf number in own coordinates
  std::uint32_t height = 1;  ///< shapes on the longest way down, this one included
  std::uint64_t hash = 0;
};

struct TreeStatistics {
  std::uint64_t leaves = 0;  ///< addends that take part
  std::uint64_t steps = 0;   ///< unit steps and roundings
  std::uint64_t depth = 0;   ///< most steps between a leaf and the root
  std::uint64_t shapes = 0;  ///< distinct subtrees held in memory
  std::uint64_t bytes = 0;   ///< their size
};

class Tree {
 public:
  Tree() = default;
  Tree(std::uint64_t addends, Node root) : addends_(addends), root_(std::move(root)) {}

  std::uint64_t addends() const { return addends_; }  ///< n, lost ones included
  /// A leaf, a shape, or nothing (n = 0, or nothing taken).
  const Node& root() const { return root_; }
  std::uint64_t hash() const;
  TreeStatistics statistics() const;

  friend bool operator==(const Tree& a, const Tree& b);

 private:
  std::uint64_t addends_ = 0;
  Node root_;
};

/// Deep equality of shapes; shared parts are compared once.
bool equal(const Shape& a, const Shape& b);

/// The distinct shapes of a tree, each after the shapes in it. Whoever looks at them in this order
/// needs no recursion, which would go as deep as the tree. O(shapes and their runs).
std::vector<const Shape*> shapes_bottom_up(const Node& root);

}  // namespace whybits
