#include "sim/leaves.hpp"

#include <algorithm>

#include "sim/arith.hpp"

namespace whybits {
namespace {

bool is_tf32_cut(const Format& operand, const Format& unit_format) {
  return operand == formats::f32 && unit_format == formats::tf32;
}

Term decode(const Format& format, Bits code) {
  const Unpacked u = unpack(format, code);
  Term term;
  term.cls = u.cls;
  term.negative = u.negative;
  if (!u.finite()) return term;
  const auto significand = static_cast<std::int32_t>(u.significand);
  term.significand = u.negative ? -significand : significand;
  term.exponent = static_cast<std::int16_t>(u.exponent + format.fraction_bits);
  return term;
}

}  // namespace

bool operand_enters(const Format& operand, const Format& unit_format) {
  return widens_exactly(operand, unit_format) || is_tf32_cut(operand, unit_format);
}

Bits enter_operand(const Format& operand, const Format& unit_format, Bits code) {
  if (operand == unit_format) return code;
  if (is_tf32_cut(operand, unit_format)) return code_from_word(formats::tf32, code);
  return convert(operand, unit_format, code);
}

std::span<const Term> OperandVector::terms(const Format& unit_format) const {
  for (const auto& [format, terms] : decoded_)
    if (format == unit_format) return terms;
  std::vector<Term> terms(codes_.size());
  std::transform(codes_.begin(), codes_.end(), terms.begin(), [&](Bits code) {
    return decode(unit_format, enter_operand(format_, unit_format, code));
  });
  return decoded_.emplace_back(unit_format, std::move(terms)).second;
}

Bits rounded_product(const Leaves& leaves, std::size_t i) {
  const Format& wide = formats::f64;  // products of f32 and narrower operands are exact in f64
  const Bits exact = mul(wide, convert(leaves.a->format(), wide, leaves.a->codes()[i]),
                         convert(leaves.b->format(), wide, leaves.b->codes()[i]));
  return convert(wide, leaves.product->to, exact, leaves.product->rule);
}

LeafTypes LeafTypes::of(const Leaves& leaves) {
  LeafTypes types;
  types.a = leaves.a->format();
  if (leaves.b) types.b = leaves.b->format();
  types.product = leaves.product;
  if (leaves.c) types.c = leaves.c->format;
  for (const auto& [name, value] : leaves.operands) types.operands.emplace_back(name, value.format);
  return types;
}

}  // namespace whybits
