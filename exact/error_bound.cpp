#include "exact/error_bound.hpp"

#include "exact/leaf_sums.hpp"
#include "exact/step_effect.hpp"
#include "exact/tree_bounder.hpp"

namespace whybits::exact {

TreeBound::TreeBound(const Tree& tree, const LeafTypes& types) {
  if (tree.root().is_empty()) return;
  TreeBounder bounder(tree.root(), types, limits_);
  const TreeBounder::Bound root = bounder.of(tree.root());
  factor_ = root.factor;
  absolute_ = root.absolute;
  Node node = tree.root();
  while (node.kind == Node::Kind::shape && node.shape->op == Shape::Op::round) {
    const Node inner = node.shape->items.at(0);
    const Effect effect = effect_of_conversion(bounder.of(inner).format, node.shape->conversion);
    endings_.push_back({effect.growth, effect.loss});
    node = inner;
  }
  const TreeBounder::Bound before = bounder.of(node);
  factor_before_ = before.factor;
  absolute_before_ = before.absolute;
  operand_uses_ = operand_uses(tree);
}

std::optional<Dyadic> TreeBound::magnitude(const Leaves& leaves) const {
  std::optional<Dyadic> magnitude = aligned_magnitude(leaves, operand_uses_);
  if (!magnitude) return std::nullopt;
  for (const Limit& limit : limits_) {
    const Dyadic largest = Dyadic::from_code(limit.format, limit.format.max_finite());
    if (largest < limit.factor * *magnitude + limit.absolute) return std::nullopt;
  }
  return magnitude;
}

std::optional<Dyadic> TreeBound::of(const Leaves& leaves) const {
  const std::optional<Dyadic> size = magnitude(leaves);
  if (!size) return std::nullopt;
  return (factor_ - Dyadic(1, 0)) * *size + absolute_;
}

std::optional<Dyadic> TreeBound::of(const Leaves& leaves, const Dyadic& exact) const {
  const std::optional<Dyadic> size = magnitude(leaves);
  if (!size) return std::nullopt;
  Dyadic bound = (factor_before_ - Dyadic(1, 0)) * *size + absolute_before_;
  // |round(v̂) − v| ≤ |v̂ − v| + ε·|v̂| + η and |v̂| ≤ |v| + |v̂ − v|.
  for (auto ending = endings_.rbegin(); ending != endings_.rend(); ++ending)
    bound = ending->growth * (bound + ending->loss) + (ending->growth - Dyadic(1, 0)) * exact.abs();
  return bound;
}

}  // namespace whybits::exact
