// The leaves of one reduction: plain values, exact products a·b, or products already rounded.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/tree.hpp"

namespace whybits {

/// A value with its format.
struct Scalar {
  Format format;
  Bits code = 0;
  bool operator==(const Scalar&) const = default;
};

/// An operand as a matrix unit reads it: significand (with sign) · 2^(exponent − fraction_bits),
/// the exponent not below the format's smallest normal one.
struct Term {
  std::int32_t significand = 0;
  std::int16_t exponent = 0;
  FpClass cls = FpClass::zero;
  bool negative = false;
};

/// What a block-scaled operand consists of: MX has e8m0 scales for 32 elements each, NVFP4 e4m3
/// scales for 16.
struct BlockType {
  Format element;
  BlockScale scale;
  bool operator==(const BlockType&) const = default;
};

/// One operand's codes in the order of the leaves, decoded once for each format a unit asks for.
/// Not for use by several threads at once.
///
/// A block-scaled one has the exact values element · scale as codes of formats::scaled: whoever
/// asks for values needs to know nothing of blocks.
class OperandVector {
 public:
  OperandVector(const Format& format, std::vector<Bits> codes)
      : format_(format), codes_(std::move(codes)) {}
  /// `scales` has one code for every block, the last one may be short. Precondition: elements of at
  /// most 8 bits.
  OperandVector(const BlockType& type, std::vector<Bits> elements, std::vector<Bits> scales);

  const Format& format() const { return format_; }
  std::size_t size() const { return codes_.size(); }
  std::span<const Bits> codes() const { return codes_; }
  /// As an operand of a unit that takes `unit_format` (operand_enters(format, unit_format)).
  std::span<const Term> terms(const Format& unit_format) const;

  const std::optional<BlockType>& blocks() const { return blocks_; }
  /// As an operand of a unit that takes blocks of this type: significands and exponents are the
  /// products of element's and scale's, with the fraction bits of both. `grouped`: the exponent is
  /// the scale's alone, and the element enters the significand as an integer of its quanta.
  /// Precondition: blocks().
  std::span<const Term> block_terms(bool grouped) const;

 private:
  Format format_;
  std::vector<Bits> codes_;
  std::optional<BlockType> blocks_;
  std::vector<Bits> elements_, scales_;
  mutable std::vector<Term> plain_terms_, grouped_terms_;
  mutable std::vector<std::pair<Format, std::vector<Term>>> decoded_;
};

/// Values widen exactly; f32 words enter a tf32 unit by losing their low 13 bits, as in hardware.
bool operand_enters(const Format& operand, const Format& unit_format);
Bits enter_operand(const Format& operand, const Format& unit_format, Bits code);

/// Everything one reduction over n leaves reads. Vectors are borrowed.
struct Leaves {
  const OperandVector* a = nullptr;
  const OperandVector* b = nullptr;   ///< null: leaves are the plain values of a
  std::optional<Conversion> product;  ///< products are rounded first: `product > f32`
  std::optional<Scalar> c;            ///< accumulator from outside
  std::vector<std::pair<std::string, Scalar>> operands;  ///< named ones, such as bias

  std::size_t size() const { return a->size(); }
  bool exact_products() const { return b && !product; }
  /// Format of a leaf that is a value. Precondition: !exact_products().
  Format value_format() const { return b ? product->to : a->format(); }
};

/// Leaf i as a product rounded once. Precondition: b and product are set, operands f32 or narrower.
Bits rounded_product(const Leaves& leaves, std::size_t i);

/// What is known of the leaves before any data: enough to say whether a tree can be run on them.
struct LeafTypes {
  Format a;
  std::optional<Format> b = {};
  std::optional<BlockType> blocks_a = {}, blocks_b = {};  ///< then a, b are formats::scaled
  std::optional<Conversion> product = {};
  std::optional<Format> c = {};
  std::vector<std::pair<std::string, Format>> operands = {};  ///< named ones, such as bias

  static LeafTypes of(const Leaves& leaves);
};

/// Refuses narrowings that are not written (to `result` at last), products given to an adder,
/// values given to a matrix unit, unknown operands and unrounded exact results. Errors:
/// TopologyError, naming the form.
void check_types(const Tree& tree, const LeafTypes& types, const Format& result);

}  // namespace whybits
