// The smaller and the larger of two numbers, as PTX defines min and max.
#pragma once

#include "sim/rounding.hpp"

namespace whybits {

struct MinMaxRule {
  NanRule nan = NanRule::gpu;
  bool propagate_nan = false;  ///< .NaN: one NaN operand makes the result NaN, else it is ignored
  bool xorsign_abs = false;    ///< .xorsign.abs: of the magnitudes; the sign is that of the product
  bool flush = false;          ///< .ftz: subnormal operands count as zeros of their sign

  constexpr bool operator==(const MinMaxRule&) const = default;
};

/// +0 is larger than −0; two NaN give NaN, whose sign xorsign leaves alone. The flag is invalid for
/// a signalling NaN (IEEE 754-2019 §9.6; PTX has no flags).
/// Source: PTX ISA 9, min and max: their semantics in pseudocode.
Bits min(const Format&, Bits a, Bits b, const MinMaxRule& = {}, Flags* = nullptr);
Bits max(const Format&, Bits a, Bits b, const MinMaxRule& = {}, Flags* = nullptr);

}  // namespace whybits
