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

/// A scale as an operand sees it: without sign.
Unpacked unpack_scale(const Format& format, Bits code) {
  return unpack(format, code & format.magnitude_mask());
}

Bits scaled_value(const Unpacked& element, const Unpacked& scale) {
  const Format& format = formats::scaled;
  const bool invalid = element.cls == FpClass::infinity && scale.cls == FpClass::zero;
  if (element.cls == FpClass::nan || scale.cls == FpClass::nan || invalid) return format.gpu_nan();
  if (element.cls == FpClass::infinity) return format.sign(element.negative) | format.infinity();
  return round_pack(format, exact_mul(element, scale), {});
}

Term scaled_term(const BlockType& type, const Unpacked& element, const Unpacked& scale,
                 bool grouped) {
  Term term;
  term.negative = element.negative;
  term.cls = unpack(formats::scaled, scaled_value(element, scale)).cls;
  if (term.cls >= FpClass::infinity) return term;
  const Format& f = type.element;
  const int quanta = grouped ? element.exponent - f.quantum_exponent() : 0;
  const auto significand =
      static_cast<std::int32_t>((element.significand << quanta) * scale.significand);
  term.significand = element.negative ? -significand : significand;
  const int element_exponent = grouped ? f.min_exponent() : element.exponent + f.fraction_bits;
  term.exponent = static_cast<std::int16_t>(element_exponent + scale.exponent +
                                            type.scale.format.fraction_bits);
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

OperandVector::OperandVector(const BlockType& type, std::vector<Bits> elements,
                             std::vector<Bits> scales)
    : format_(formats::scaled),
      blocks_(type),
      elements_(std::move(elements)),
      scales_(std::move(scales)) {
  codes_.reserve(elements_.size());
  const auto block = static_cast<std::size_t>(type.scale.block);
  for (std::size_t i = 0; i < elements_.size(); ++i)
    codes_.push_back(scaled_value(unpack(type.element, elements_[i]),
                                  unpack_scale(type.scale.format, scales_.at(i / block))));
}

std::span<const Term> OperandVector::block_terms(bool grouped) const {
  std::vector<Term>& terms = grouped ? grouped_terms_ : plain_terms_;
  if (terms.size() == elements_.size()) return terms;
  const BlockType& type = *blocks_;
  const auto block = static_cast<std::size_t>(type.scale.block);
  for (std::size_t i = 0; i < elements_.size(); ++i)
    terms.push_back(scaled_term(type, unpack(type.element, elements_[i]),
                                unpack_scale(type.scale.format, scales_[i / block]), grouped));
  return terms;
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
  types.blocks_a = leaves.a->blocks();
  if (leaves.b) types.blocks_b = leaves.b->blocks();
  types.product = leaves.product;
  if (leaves.c) types.c = leaves.c->format;
  for (const auto& [name, value] : leaves.operands) types.operands.emplace_back(name, value.format);
  return types;
}

}  // namespace whybits
