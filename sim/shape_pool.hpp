// Makes canonical shapes: equal subtrees become one object (tree.hpp states the canonical form).
// Errors: TopologyError where a tree would be too large or too deep.
#pragma once

#include <unordered_map>

#include "sim/tree.hpp"

namespace whybits {

class ShapePool {
 public:
  /// Shapes, runs and seams that may be held, and how deep shapes may nest: walks over trees
  /// recurse.
  static constexpr std::uint32_t max_height = 4096;
  explicit ShapePool(std::uint64_t capacity) : capacity_(capacity) {}

  /// A left fold in outer coordinates. `seams` count items; `carry` is used if begin is node.
  Node fold(const Unit& unit, Shape::Begin begin, const Node& carry, Items items,
            std::vector<Seam> seams = {});
  /// Two nodes by an IEEE add; a missing partner passes the other.
  Node combine(const Unit& unit, const Node& a, const Node& b);
  Node any_order(const Unit& unit, Items items);
  Node round(const Node& node, const Conversion& conversion);
  Node add_operand(const Node& node, const std::string& operand);

 private:
  Node intern(Shape shape);
  std::shared_ptr<const Unit> intern(const Unit& unit);

  std::uint64_t capacity_;
  std::unordered_multimap<std::uint64_t, ShapeRef> shapes_;
  std::unordered_multimap<std::uint64_t, std::shared_ptr<const Unit>> units_;
};

}  // namespace whybits
