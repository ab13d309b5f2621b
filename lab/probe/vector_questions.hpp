// The questions, each as the vectors that decide it. What a format cannot say is left out.
#pragma once

#include "lab/probe/vector_maker.hpp"

namespace whybits {

/// How many bits below the largest term are kept, of products and of c.
void alignment(VectorMaker& v);
/// Which lanes share an alignment: a small product survives a large cancelling pair only in another
/// step.
void grouping(VectorMaker& v);
/// Do c and the products share an alignment? c as 2^j swallows products below its cut one by one,
/// though not their sum.
void accumulator_inside(VectorMaker& v);
/// What exponent zeros bring: a last place (f16: half of one) with a tiny term on top or below,
/// which counts only if it survives the cut.
void zero_exponent(VectorMaker& v);
/// The sign of a zero result: products ±0, c = ±0, exact cancellation, underflow.
void zero_sign(VectorMaker& v);
void special_values(VectorMaker& v);  ///< NaN of every kind, infinities, 0·∞, ∞ − ∞
void overflow(VectorMaker& v);        ///< inside the step, and of its conversion
void subnormals(VectorMaker& v);      ///< of a, b, c and of the result
void tf32_words(VectorMaker& v);      ///< the low 13 bits of an f32 word given as tf32
void fma_chain(VectorMaker& v);       ///< f64: exact products, order, one rounding each

}  // namespace whybits
