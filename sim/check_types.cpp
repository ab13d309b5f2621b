#include <algorithm>
#include <unordered_map>

#include "sim/expand.hpp"
#include "sim/leaves.hpp"

namespace whybits {
namespace {

/// Formats of a tree's values, or `exact` for a sum that is not rounded yet.
struct Type {
  Format format;
  bool exact = false;
};

/// Looks at every shape once, after the shapes in it.
class Checker {
 public:
  explicit Checker(const LeafTypes& types) : types_(types) {}

  Type check(const Node& root) {
    const std::vector<const Shape*> shapes = shapes_bottom_up(root);
    // Before what is below is complained of as if it stood there rightly.
    for (const Shape* shape : shapes) require_leaves(*shape);
    for (const Shape* shape : shapes) done_.emplace(shape, of(*shape));
    return of(root);
  }

  void enters(const Type& from, const Format& to, const std::string& what) const {
    if (from.exact)
      throw TopologyError(what + " is given an exact sum that is not rounded; write > F after it");
    if (!widens_exactly(from.format, to))
      throw TopologyError(what + " would narrow " + format_name(from.format) + " to " +
                          format_name(to) + ", and no narrowing is written; add > " +
                          format_name(to) + " where it happens, or use " +
                          format_name(from.format));
  }

 private:
  Type of(const Node& node) const { return node.is_leaf() ? leaf() : done_.at(node.shape.get()); }

  /// A unit of products takes nothing else.
  static void require_leaves(const Shape& shape) {
    if (!shape.unit || !shape.unit->takes_products() || shape.unit->kind == Unit::Kind::exact)
      return;
    for (const Run& run : shape.items.runs())
      if (!run.node.is_leaf())
        throw TopologyError(unit_name(*shape.unit) +
                            " takes products, but a topology below it hands it a value");
  }

  bool exact_products() const { return types_.b && !types_.product; }

  Type leaf() const {
    if (exact_products())
      throw TopologyError(
          "an exact product is not a value of any format: it can only enter f32.fma, f64.fma, "
          "exact or "
          "a matrix unit, or be rounded first (product > f32)");
    if (types_.b) {
      if (types_.a == formats::f64 || *types_.b == formats::f64)
        throw TopologyError("product > " + conversion_name(*types_.product) +
                            ": operands wider than f32 are not supported; use f64.fma");
      return {types_.product->to};
    }
    return {types_.a};
  }

  Type of(const Shape& shape) const {
    if (shape.op == Shape::Op::round) {
      of(shape.items.at(0));
      return {shape.conversion.to};
    }
    if (shape.op == Shape::Op::operand) {
      if (!shape.items.empty()) enters(of(shape.items.at(0)), formats::f32, "+ " + shape.operand);
      const auto& known = types_.operands;
      const auto found = std::find_if(known.begin(), known.end(),
                                      [&](const auto& o) { return o.first == shape.operand; });
      if (found == known.end())
        throw TopologyError("+ " + shape.operand + ": the computation has no operand of this name");
      enters({found->second}, formats::f32, "+ " + shape.operand);
      return {formats::f32};
    }
    const Unit& unit = *shape.unit;
    const std::string name = unit_name(unit);
    if (shape.begin == Shape::Begin::node) enters(of(shape.carry), unit.format, name);
    if (shape.begin == Shape::Begin::c && types_.c)
      enters({*types_.c}, unit.format, name + " from=c");
    if (unit.after && unit.kind != Unit::Kind::exact && shape.op == Shape::Op::fold)
      enters({unit.after->to}, unit.format, name);  // the next step reads the rounded accumulator
    for (const Run& run : shape.items.runs()) item(unit, name, run.node);
    if (unit.kind == Unit::Kind::exact && !unit.after) return {unit.format, true};
    return {unit.result_format()};
  }

  void item(const Unit& unit, const std::string& name, const Node& node) const {
    if (unit.kind == Unit::Kind::exact) {
      if (node.is_leaf() && exact_products()) return;
      if (of(node).exact) throw TopologyError(name + " is given an exact sum that is not rounded");
      return;
    }
    if (unit.kind == Unit::Kind::add) {
      enters(of(node), unit.format, name);
      return;
    }
    if (!exact_products())
      throw TopologyError(
          name + " takes products a·b, but the leaves of this computation are values" +
          (types_.b ? " (product > " + conversion_name(*types_.product) + ")" : "") +
          "; use an IEEE add such as f32");
    if (unit.scale) {
      takes_blocks(unit, name, *unit.operand_a, types_.blocks_a, "a");
      takes_blocks(unit, name, *unit.operand_b, types_.blocks_b, "b");
      return;
    }
    if (unit.kind != Unit::Kind::fma && (types_.blocks_a || types_.blocks_b))
      throw TopologyError(name +
                          " takes operands without block scales; the units that take them "
                          "are such as sm100.tcgen05.mxf8f6f4.e4m3");
    const Format a = unit.operand_a.value_or(unit.kind == Unit::Kind::fma ? unit.format : types_.a);
    const Format b =
        unit.operand_b.value_or(unit.kind == Unit::Kind::fma ? unit.format : *types_.b);
    for (const auto& [operand, wanted] : {std::pair{types_.a, a}, std::pair{*types_.b, b}})
      if (!operand_enters(operand, wanted))
        throw TopologyError(name + " takes operands of " + format_name(wanted) + ", not " +
                            format_name(operand));
    if (unit.kind == Unit::Kind::aligned && std::max(a.precision(), b.precision()) > 24)
      throw TopologyError(name + ": aligned units take operands of at most 24 significand bits");
  }

  static void takes_blocks(const Unit& unit, const std::string& name, const Format& element,
                           const std::optional<BlockType>& given, const std::string& operand) {
    const BlockType wanted{element, *unit.scale};
    if (given == wanted) return;
    const auto text = [](const BlockType& type) {
      return format_name(type.element) + " in blocks of " + std::to_string(type.scale.block) +
             " with " + format_name(type.scale.format) + " scales";
    };
    throw TopologyError(
        name + " takes operands of " + text(wanted) + "; operand " + operand +
        (given ? " is " + text(*given) : " has no scales (--scale-" + operand + ")"));
  }

  const LeafTypes& types_;
  std::unordered_map<const Shape*, Type> done_;
};

}  // namespace

void check_types(const Tree& tree, const LeafTypes& types, const Format& result) {
  if (tree.root().is_empty()) return;
  Checker checker(types);
  const Type root = checker.check(tree.root());
  if (root.exact) throw TopologyError("the exact sum is not rounded; write > F after it");
  // A single addend meets no unit on its way to the result.
  checker.enters(root, result, "the result");
}

}  // namespace whybits
