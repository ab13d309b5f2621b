// PTX's approximate functions of 16-bit words, for each of the 65,536: the f32 function of the
// widened argument, cut toward zero, to infinity where the format ends.
#pragma once

#include "sim/format.hpp"

namespace whybits::special {

/// ex2.approx.f16 and ex2.approx.ftz.bf16, tanh.approx.f16 and tanh.approx.bf16, by the format of
/// the word. Precondition: f16 or bf16.
Bits ex2(const Format& format, Bits x);
Bits tanh(const Format& format, Bits x);

}  // namespace whybits::special
