// A unit is one step of a reduction: an accumulator and up to L addends become an accumulator.
//
//   add        IEEE add in a format, one addend a step
//   fma        IEEE fused multiply-add, one exact product a step
//   aligned    T(L, F, ρ, e0), a tensor core: L exact products and the accumulator are aligned at
//              the largest exponent, truncated to F fraction bits, added exactly, converted once;
//              operands may come in blocks with scales, and products in exact groups
//   exact      no rounding at all
//   composite  a step that is itself a small topology (Hopper's fp8 mma.sync: two f16 steps and
//              an f32 add)
//
// Source of the aligned sum: MMA-Sim (arXiv:2511.10909) and Khattak, Mikaitis (arXiv:2512.07004);
// docs/units.md states the rules and what hardware answered.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sim/rounding.hpp"

namespace whybits {

class Tree;

/// Parameters of T(L, F, ρ, e0).
struct AlignedSum {
  int addends = 16;           ///< L, products in one step
  int fraction_bits = 25;     ///< F, bits kept below the largest exponent
  int zero_exponent = -133;   ///< e0, the exponent that a zero product or a zero accumulator brings
  Format out = formats::f32;  ///< what the exact sum is converted to
  Rounding rounding = Rounding::zero;  ///< ρ of that conversion; overflow is infinity
  /// Products whose exact sum is one term, aligned by the exponents of their two scales alone; 0:
  /// each product is a term.
  int group = 0;

  constexpr bool operator==(const AlignedSum&) const = default;
};

/// Elements that share a scale: `block` consecutive ones, and the format of the scale. The sign of
/// an e4m3 scale does not count (ue4m3).
struct BlockScale {
  Format format = formats::e8m0;
  int block = 32;

  constexpr bool operator==(const BlockScale&) const = default;
};

/// A written narrowing, `> F` with its suffixes.
struct Conversion {
  Format to;
  RoundRule rule;
  constexpr bool operator==(const Conversion&) const = default;
};

/// No value changes: nothing to round, to flush or to saturate.
inline bool is_identity(const Format& from, const Conversion& to) {
  return widens_exactly(from, to.to) && to.rule.flush == Flush::none &&
         to.rule.overflow != Overflow::saturate;
}

struct Unit {
  enum class Kind : std::uint8_t { add, fma, aligned, exact, composite };

  Kind kind = Kind::add;
  Format format = formats::f32;  ///< of the accumulator as the next step reads it
  RoundRule rule;                ///< add and fma
  AlignedSum aligned;            ///< aligned only
  int addends = 1;               ///< L
  /// Formats in which the operands of a product enter; none: as they are. Values widen exactly;
  /// f32 words given to a tf32 unit lose their low 13 bits, as in hardware.
  std::optional<Format> operand_a, operand_b;
  std::optional<BlockScale> scale;    ///< both operands come in blocks with such scales
  std::shared_ptr<const Tree> inner;  ///< composite only: L products and c → one value
  std::optional<Conversion> after;    ///< `U > F`: rounded after every step
  std::string name;                   ///< as the notation writes it, without `after`

  /// True if products of operands are its addends (fma, aligned, composite); IEEE add and `exact`
  /// take values, `exact` both.
  bool takes_products() const { return kind != Kind::add; }
  bool takes_values() const { return kind == Kind::add || kind == Kind::exact; }
  /// Format of the value that a fold by this unit yields.
  Format result_format() const { return after ? after->to : format; }

  /// Same arithmetic, whatever the name: sm90.mma.f16 and sm90.wgmma.f16 are one unit.
  bool same_arithmetic(const Unit& other) const;
  std::uint64_t hash() const;
};

Unit ieee_add(const Format& format, const RoundRule& rule = {});
Unit ieee_fma(const Format& format, const RoundRule& rule = {});
/// Accumulator format: f32 or f16 where `out` fits into one of them with the same exponents
/// (an e8m13 result lives in an f32 register), else `out`.
Unit aligned_unit(const AlignedSum& sum, std::optional<Format> operand_a = {},
                  std::optional<Format> operand_b = {});
Unit exact_unit();
Unit rounded_after(Unit unit, const Conversion& conversion);

/// "f32.rz", "e4m3.sat": a format with the suffixes of its rule.
std::string conversion_name(const Conversion& conversion);
/// The whole unit as the notation writes it, `after` included.
std::string unit_name(const Unit& unit);

}  // namespace whybits
