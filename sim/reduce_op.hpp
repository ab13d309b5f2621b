// What a collective makes of its ranks' values: their sum, the largest or the smallest.
//
// The map of an all-reduce says which values meet in which order; with max and min every add of it
// is such a choice instead, as PTX defines them (sim/min_max.hpp): NaN loses against a number, two
// NaN give the canonical NaN, and +0 is larger than −0. That is a total order, so no order of
// additions matters, and neither does a wider accumulator.
// Source: NCCL, src/device/reduce_kernel.h, FuncMinMax: fmaxf, fmax, __hmax, fp8 by way of f16 and
// back with saturation (an infinity of e5m2 becomes its largest number); not measured.
#pragma once

#include <array>
#include <string_view>

#include "sim/reduction.hpp"

namespace whybits {

enum class ReduceOp : std::uint8_t { sum, max, min };
/// By ReduceOp.
inline constexpr std::array<std::string_view, 3> reduce_op_names{"sum", "max", "min"};

/// The reference evaluator with `op` in place of every IEEE add. Of a sum it is `evaluate`.
/// Precondition: the leaves are values and no unit is `exact`.
Bits evaluate(const Reduction& reduction, const Leaves& leaves, ReduceOp op);

}  // namespace whybits
