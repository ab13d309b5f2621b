// The bounds of error_bound.hpp, node by node.
#pragma once

#include <unordered_map>
#include <vector>

#include "exact/error_bound.hpp"
#include "exact/step_effect.hpp"

namespace whybits::exact {

/// Looks at every shape of a tree once, after the shapes in it.
class TreeBounder {
 public:
  /// |v̂ − v| ≤ (factor − 1)·S + absolute.
  struct Bound {
    Dyadic factor = Dyadic(1, 0);
    Dyadic absolute;
    Format format;
  };

  /// `limits` takes the roundings whose overflow is a finite number.
  TreeBounder(const Node& root, const LeafTypes& types, std::vector<TreeBound::Limit>& limits);

  /// Of any node of the tree.
  Bound of(const Node& node) { return of(node, nullptr); }

 private:
  /// `c`: what a composite unit hands to its inner tree.
  Bound of(const Node& node, const Bound* c);
  Bound leaf() const;
  Bound of(const Shape& shape, const Bound* c);
  static void include(Bound& sum, const Bound& item, std::uint64_t count);
  /// `count` steps of one effect, after their parts have been included.
  static Bound after(const Bound& parts, std::uint64_t count, const Effect& effect);
  Bound converted(const Bound& value, const Conversion& to);
  Bound start(const Shape& shape, const Bound* c);
  /// The step's own effect and that of the rounding behind it.
  static Effect with_rounding(const Unit& unit, const Effect& step);
  Bound finished(const Shape& shape, Bound bound);
  Bound values(const Shape& shape, const Bound* c);
  Bound exactly(const Shape& shape, const Bound* c);
  Format operand_format(const std::optional<Format>& of_unit, const Format& of_leaf,
                        const Unit& unit) const;
  Bound products(const Shape& shape, const Bound* c);
  /// φ of a product as it enters the unit.
  Dyadic product_factor(const Unit& unit, const Format& a, const Format& b) const;
  /// A step of the inner tree maps φ of its c to max(K, M·φ) and α to M'·α + η. After the first
  /// step φ is at least K, so that only M counts: found by asking with a very large φ, then α.
  Bound composite(const Unit& unit, const Bound& start, std::uint64_t steps);
  /// Bounds only grow on the way up: the largest of each format is enough.
  void limit(const Format& format, const Bound& bound);

  const LeafTypes& types_;
  std::vector<TreeBound::Limit>& limits_;
  std::unordered_map<const Shape*, Bound> known_;
};

}  // namespace whybits::exact
