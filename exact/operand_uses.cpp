#include "exact/operand_uses.hpp"

#include <unordered_map>

namespace whybits::exact {

OperandUses operand_uses(const Tree& tree) {
  std::unordered_map<const Shape*, OperandUses> below;
  const auto include = [&](OperandUses& uses, const Node& node, std::uint64_t times) {
    if (node.kind != Node::Kind::shape) return;
    for (const auto& [name, count] : below.at(node.shape.get())) uses[name] += times * count;
  };
  for (const Shape* shape : shapes_bottom_up(tree.root())) {
    OperandUses uses;
    if (shape->op == Shape::Op::operand) ++uses[shape->operand];
    include(uses, shape->carry, 1);
    for (const Run& run : shape->items.runs()) include(uses, run.node, run.size());
    below.emplace(shape, std::move(uses));
  }
  OperandUses uses;
  include(uses, tree.root(), 1);
  return uses;
}

}  // namespace whybits::exact
