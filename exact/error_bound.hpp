// How far from exact a reduction can be, before it runs, from its tree. (After it ran, from its
// ledger: ledger_totals.hpp.)
//
// Let v̂ be a node's value, v the exact sum of the leaves below it and S the sum of their
// magnitudes. By induction over the tree
//
//   |v̂ − v| ≤ (φ − 1)·S + α,       hence |v̂| ≤ φ·S + α.
//
// A leaf has φ = 1, α = 0. A step that adds parts with φᵢ, αᵢ and whose own arithmetic errs by at
// most ε relative to what it is given and η absolutely has
//
//   φ = (1 + ε)·max φᵢ,             α ≤ (1 + ε)·(Σ αᵢ + η).
//
// IEEE add and every rounding to nearest of precision p: ε = 2^−p, else 2^(1−p). After h adds this
// is the classical (1 + u)^h − 1. η is 0 for an add (a sum in the subnormal range is exact), the
// format's quantum for conversions and fma, and where subnormals are flushed the smallest normal
// number for each that can be lost.
//
// An aligned unit T(L, F, ρ, e0) cuts its terms, the accumulator A among them, below 2^(E−F). One
// cut loses less than that. The term that has the exponent E is not cut when F covers its fraction,
// so c = L terms can be, else c = L + 1. And 2^E is at most the largest of |A|, the products and
// 2^max(e0, e_min), e_min being the accumulator's smallest normal exponent; hence at most
// φ·S + α + 2^max(e0, e_min). With C = c·2^−F the cuts lose at most C·(φ·S + α + 2^max(…)), and
// after them ρ rounds:
//
//   ε = (1 + ε_ρ)·(1 + C) − 1,      η = C·2^max(e0, e_min) + quantum of the output.
//
// Hopper's bf16 unit (L = 16, F = 25, ρ toward zero to f32): C = 2^−21, ε_ρ = 2^−23, so ε is
// 1.25·2^−21 a step of 16 products. For this S takes subnormal factors of a product as the smallest
// normal number (aligned_magnitude), because units do not normalise them. An f32 operand that a
// tf32 unit cuts multiplies φ of its leaf by 1 + 2^−10.
// (Blanchard, Higham, Lopez, Mary, Pranesh, SIAM J. Sci. Comput. 42(3), 2020, bound block fma units
// in the same way, without alignment.)
#pragma once

#include <optional>
#include <vector>

#include "exact/operand_uses.hpp"
#include "sim/dyadic.hpp"
#include "sim/reduction.hpp"

namespace whybits::exact {

/// The a-priori bound of a tree as a function of S. Numbers are rounded up to 128 bits.
class TreeBound {
 public:
  TreeBound(const Tree& tree, const LeafTypes& types);

  const Dyadic& factor() const { return factor_; }      ///< φ of the root
  const Dyadic& absolute() const { return absolute_; }  ///< α of the root

  /// Of |result − exact|, provided that no step yields NaN or infinity (Trace::finite). nullopt if
  /// a leaf does, or if a rounding might have overflowed to a finite number.
  std::optional<Dyadic> of(const Leaves& leaves) const;

  /// The same where the exact sum is known: a rounding at the very end (`> bf16`) then errs
  /// relative to it instead of S, which is far more if terms cancel.
  std::optional<Dyadic> of(const Leaves& leaves, const Dyadic& exact) const;

 private:
  /// A rounding whose overflow is a finite number, and what reaches it.
  struct Limit {
    Format format;
    Dyadic factor, absolute;
  };
  /// A rounding at the end: 1 + ε and η.
  struct Ending {
    Dyadic growth, loss;
  };
  friend class TreeBounder;

  std::optional<Dyadic> magnitude(const Leaves& leaves) const;

  Dyadic factor_ = Dyadic(1, 0);
  Dyadic absolute_;
  Dyadic factor_before_ = Dyadic(1, 0);  ///< of the value that the endings round
  Dyadic absolute_before_;
  std::vector<Ending> endings_;  ///< the last one first
  std::vector<Limit> limits_;
  OperandUses operand_uses_;  ///< a named operand counts in S as often
};

}  // namespace whybits::exact
