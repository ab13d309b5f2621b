#include "sim/unit.hpp"

#include "sim/hash.hpp"
#include "sim/tree.hpp"

namespace whybits {
namespace {

std::uint64_t hash_format(const Format& f) {
  return hash_combine(static_cast<std::uint64_t>(f.exponent_bits * 64 + f.fraction_bits),
                      static_cast<std::uint64_t>(f.specials));
}

std::uint64_t hash_conversion(const Conversion& c) {
  return hash_combine(hash_format(c.to), static_cast<std::uint64_t>(c.rule.rounding) * 64 +
                                             static_cast<std::uint64_t>(c.rule.overflow) * 16 +
                                             static_cast<std::uint64_t>(c.rule.flush));
}

bool same_inner(const std::shared_ptr<const Tree>& a, const std::shared_ptr<const Tree>& b) {
  return a == b || (a && b && *a == *b);
}

std::string rule_suffixes(const RoundRule& rule) {
  std::string text(rounding_suffix(rule.rounding));
  if (rule.flush == Flush::both) text += ".ftz";
  if (rule.overflow == Overflow::saturate) text += ".sat";
  return text;
}

/// The register format that carries an aligned unit's accumulator from step to step.
Format accumulator_format(const Format& out) {
  if (widens_exactly(out, formats::f16)) return formats::f16;
  if (widens_exactly(out, formats::f32)) return formats::f32;
  return out;
}

}  // namespace

bool Unit::same_arithmetic(const Unit& other) const {
  return kind == other.kind && format == other.format && rule == other.rule &&
         (kind != Kind::aligned || aligned == other.aligned) && addends == other.addends &&
         operand_a == other.operand_a && operand_b == other.operand_b && scale == other.scale &&
         after == other.after && same_inner(inner, other.inner);
}

std::uint64_t Unit::hash() const {
  std::uint64_t h = hash_combine(static_cast<std::uint64_t>(kind), hash_format(format));
  h = hash_combine(h, hash_conversion({format, rule}));
  h = hash_combine(h, static_cast<std::uint64_t>(addends));
  if (kind == Kind::aligned) {
    h = hash_combine(h, static_cast<std::uint64_t>(aligned.fraction_bits));
    h = hash_combine(h, static_cast<std::uint64_t>(aligned.zero_exponent));
    h = hash_combine(h, hash_conversion({aligned.out, {aligned.rounding}}));
  }
  if (operand_a) h = hash_combine(h, hash_format(*operand_a));
  if (operand_b) h = hash_combine(h, hash_format(*operand_b));
  if (scale) h = hash_combine(h, hash_format(scale->format));
  if (inner) h = hash_combine(h, inner->hash());
  if (after) h = hash_combine(h, hash_conversion(*after));
  return h;
}

Unit ieee_add(const Format& format, const RoundRule& rule) {
  Unit unit;
  unit.kind = Unit::Kind::add;
  unit.format = format;
  unit.rule = rule;
  unit.name = format_name(format) + rule_suffixes(rule);
  return unit;
}

Unit ieee_fma(const Format& format, const RoundRule& rule) {
  Unit unit = ieee_add(format, rule);
  unit.kind = Unit::Kind::fma;
  unit.name = format_name(format) + ".fma" + rule_suffixes(rule);
  return unit;
}

Unit aligned_unit(const AlignedSum& sum, std::optional<Format> operand_a,
                  std::optional<Format> operand_b) {
  Unit unit;
  unit.kind = Unit::Kind::aligned;
  unit.format = accumulator_format(sum.out);
  unit.aligned = sum;
  unit.addends = sum.addends;
  unit.operand_a = operand_a;
  unit.operand_b = operand_b;
  unit.name = "aligned(l=" + std::to_string(sum.addends) +
              ", f=" + std::to_string(sum.fraction_bits) +
              ", e0=" + std::to_string(sum.zero_exponent) + ", out=" + format_name(sum.out) +
              std::string(rounding_suffix(sum.rounding));
  if (operand_a && operand_b) {
    unit.name += ", in=" + format_name(*operand_a);
    if (!(*operand_a == *operand_b)) unit.name += "x" + format_name(*operand_b);
  }
  unit.name += ")";
  return unit;
}

Unit exact_unit() {
  Unit unit;
  unit.kind = Unit::Kind::exact;
  unit.name = "exact";
  return unit;
}

Unit rounded_after(Unit unit, const Conversion& conversion) {
  unit.after = conversion;
  return unit;
}

std::string conversion_name(const Conversion& conversion) {
  return format_name(conversion.to) + rule_suffixes(conversion.rule);
}

std::string unit_name(const Unit& unit) {
  return unit.after ? unit.name + " > " + conversion_name(*unit.after) : unit.name;
}

}  // namespace whybits
