#include "sim/fast/reference_step.hpp"

#include "sim/aligned_step.hpp"
#include "sim/arith.hpp"

namespace whybits::fast {
namespace {

Bits widened(const Scalar& value, const Format& format) {
  return value.format == format ? value.code : convert(value.format, format, value.code);
}

/// Codes of one operand in the order of the leaves; +0 where there is none.
template <class At>
std::vector<Bits> gather(std::span<const std::uint32_t> leaves, At at) {
  std::vector<Bits> codes;
  codes.reserve(leaves.size());
  for (const std::uint32_t leaf : leaves) codes.push_back(leaf == no_leaf ? 0 : at(leaf));
  return codes;
}

}  // namespace

Bits reference_products(const Unit& unit, const LaneOperands& operands, std::uint64_t row,
                        std::uint64_t column, std::span<const std::uint32_t> leaves, Bits acc) {
  const CodeMatrix& ma = operands.a ? *operands.a : *operands.paired;
  const CodeMatrix& mb = operands.b;
  std::vector<Bits> a = gather(
      leaves, [&](std::uint32_t i) { return operands.a ? ma.at(row, i) : ma.at(i, column); });
  std::vector<Bits> b = gather(leaves, [&](std::uint32_t i) { return mb.at(i, column); });
  if (unit.kind == Unit::Kind::fma) {
    for (std::size_t i = 0; i < a.size(); ++i)
      acc = fma(unit.format, widened({ma.format(), a[i]}, unit.format),
                widened({mb.format(), b[i]}, unit.format), acc, unit.rule);
    return acc;
  }
  if (unit.kind == Unit::Kind::composite) {
    a.resize(static_cast<std::size_t>(unit.addends));
    b.resize(static_cast<std::size_t>(unit.addends));
  }
  const OperandVector va(ma.format(), std::move(a));
  const OperandVector vb(mb.format(), std::move(b));
  if (unit.kind == Unit::Kind::aligned)
    return aligned_step(unit, acc, va.terms(*unit.operand_a).data(),
                        vb.terms(*unit.operand_b).data(), 1, static_cast<int>(leaves.size()));
  Leaves inner;
  inner.a = &va;
  inner.b = &vb;
  inner.c = Scalar{unit.format, acc};
  return evaluate({nullptr, *unit.inner, unit.format}, inner);
}

Scalar reference_leaf(const LaneOperands& operands, std::uint64_t row, std::uint64_t column,
                      std::uint64_t leaf) {
  if (!operands.a) return {operands.b.format(), operands.b.at(leaf, column)};
  const OperandVector a(operands.a->format(), {operands.a->at(row, leaf)});
  const OperandVector b(operands.b.format(), {operands.b.at(leaf, column)});
  Leaves leaves;
  leaves.a = &a;
  leaves.b = &b;
  leaves.product = operands.product;
  return {operands.product->to, rounded_product(leaves, 0)};
}

Scalar reference_after(const Unit& unit, Bits code) {
  if (!unit.after) return {unit.format, code};
  return {unit.after->to, convert(unit.format, unit.after->to, code, unit.after->rule)};
}

Scalar reference_add(const Unit& unit, const Scalar& acc, const Scalar& x) {
  return reference_after(
      unit, add(unit.format, widened(acc, unit.format), widened(x, unit.format), unit.rule));
}

}  // namespace whybits::fast
