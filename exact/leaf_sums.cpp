#include "exact/leaf_sums.hpp"

#include <algorithm>
#include <vector>

#include "exact/exact_dot.hpp"
#include "exact/step_effect.hpp"

namespace whybits::exact {
namespace {

enum class Take : std::uint8_t { as_is, magnitude, aligned };

Bits taken(const Format& format, Bits code, Take take) {
  if (take == Take::as_is) return code;
  const Bits magnitude = code & format.magnitude_mask();
  const Bits smallest_normal = Bits{1} << format.fraction_bits;
  if (take == Take::aligned && magnitude != 0) return std::max(magnitude, smallest_normal);
  return magnitude;
}

std::vector<Bits> taken(const OperandVector& operand, Take take) {
  std::vector<Bits> codes(operand.codes().begin(), operand.codes().end());
  for (Bits& code : codes) code = taken(operand.format(), code, take);
  return codes;
}

std::optional<Dyadic> sum_of(const Leaves& leaves, const OperandUses& uses, Take take) {
  Superaccumulator sum;
  const Take plain = take == Take::aligned ? Take::magnitude : take;
  if (leaves.b && leaves.product) {  // rounded first: the sum of what the products became
    const Format& format = leaves.product->to;
    for (std::size_t i = 0; i < leaves.size(); ++i)
      sum.add(format, taken(format, rounded_product(leaves, i), plain));
  } else if (take == Take::as_is && leaves.b) {
    add_products(sum, {leaves.a->format(), leaves.a->codes()},
                 {leaves.b->format(), leaves.b->codes()});
  } else if (take == Take::as_is) {
    add_values(sum, {leaves.a->format(), leaves.a->codes()});
  } else {
    const std::vector<Bits> a = taken(*leaves.a, leaves.b ? take : plain);
    const OperandWords words(leaves.a->format(), std::span<const Bits>(a));
    if (leaves.b) {
      const std::vector<Bits> b = taken(*leaves.b, take);
      add_products(sum, words, {leaves.b->format(), std::span<const Bits>(b)});
    } else {
      add_values(sum, words);
    }
  }
  if (leaves.c) sum.add(leaves.c->format, taken(leaves.c->format, leaves.c->code, plain));
  Dyadic again;  // operands that are added more than once
  for (const auto& [name, value] : leaves.operands) {
    const auto found = uses.find(name);
    if (found == uses.end()) continue;
    const Bits code = taken(value.format, value.code, plain);
    sum.add(value.format, code);
    if (found->second > 1 && unpack(value.format, code).finite())
      again += whole(found->second - 1) * Dyadic::from_code(value.format, code);
  }
  if (!sum.is_finite()) return std::nullopt;
  return sum.value() + again;
}

}  // namespace

std::optional<Dyadic> exact_value(const Leaves& leaves, const OperandUses& uses) {
  return sum_of(leaves, uses, Take::as_is);
}

std::optional<Dyadic> magnitude(const Leaves& leaves, const OperandUses& uses) {
  return sum_of(leaves, uses, Take::magnitude);
}

std::optional<Dyadic> aligned_magnitude(const Leaves& leaves, const OperandUses& uses) {
  return sum_of(leaves, uses, Take::aligned);
}

}  // namespace whybits::exact
