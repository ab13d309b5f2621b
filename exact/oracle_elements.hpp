// Elements of RMSNorm and softmax, as real numbers, rounded once: what a kernel would give if it
// made no error but the last.
#pragma once

#include "exact/oracle.hpp"
#include "sim/leaves.hpp"

namespace whybits::exact {

/// x[j] · w / √(Σ x[i]²/n + ε), n the length of x; ε a finite number ≥ 0.
///
/// Correct for every input: the square of the result is a rational number, and whether a candidate
/// lies below the result is a comparison of integers. No precision has to be found by trial.
///
/// Special values as if the steps were IEEE's: a NaN anywhere in x, or in w, gives NaN; an infinity
/// in x makes the scale 0, so that finite x[j] give a zero of the product's sign (NaN if w is
/// infinite) and infinite ones NaN; all x zero and ε = 0 give NaN; an infinite w gives an infinity,
/// NaN for x[j] = 0. A zero has the sign of the product. Throws std::invalid_argument for j out of
/// range, and for an ε that is negative or not finite.
Bits oracle_rms_norm(const CodeSpan& x, std::size_t j, const Scalar& w, const Scalar& epsilon,
                     const Format& out, const RoundRule& rule = {});

/// exp(s·x[j]) / Σ exp(s·x[i]), s a finite number.
///
/// Correct for every input, and ends always: with dᵢ = s·(x[i] − x[j]), rational numbers, the
/// result is 1 / Σ exp(dᵢ). If all dᵢ are 0 it is 1/n. Else Σ exp(dᵢ) is transcendental (Lindemann
/// and Weierstrass: exponentials of distinct algebraic numbers are linearly independent over the
/// algebraic numbers), so the result is not on the border between two codes, and an enclosure whose
/// precision doubles gets to one side of every border. Where the others all but vanish beside the m
/// equal ones, the result is 1/m less next to nothing, and no enclosure is needed.
///
/// Special values as IEEE's exp(t − max t) / Σ has them, t = s·x: a NaN or +infinity among the t
/// gives NaN, and so do −infinities alone; else t[i] = −infinity adds nothing, and t[j] = −infinity
/// gives +0. Throws std::invalid_argument for j out of range or an s that is not finite.
Bits oracle_softmax(const CodeSpan& x, std::size_t j, const Scalar& scale, const Format& out,
                    const RoundRule& rule = {});

}  // namespace whybits::exact
