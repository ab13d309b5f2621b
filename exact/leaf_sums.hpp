// Exact sums over the leaves of a reduction: its truth, and what error bounds are relative to.
#pragma once

#include <optional>

#include "exact/operand_uses.hpp"
#include "sim/dyadic.hpp"
#include "sim/leaves.hpp"

namespace whybits::exact {

/// The exact sum of all leaves, c and the named operands, each as often as `uses` says; nullopt if
/// one of them is NaN or infinite.
std::optional<Dyadic> exact_value(const Leaves& leaves, const OperandUses& uses);

/// The same of the magnitudes: Σ|leaf| + |c| + Σ|operand|.
std::optional<Dyadic> magnitude(const Leaves& leaves, const OperandUses& uses);

/// A magnitude as a matrix unit aligns it: of exact products a·b, subnormal factors count as the
/// smallest normal number. Equal to magnitude() where there are none.
std::optional<Dyadic> aligned_magnitude(const Leaves& leaves, const OperandUses& uses);

}  // namespace whybits::exact
