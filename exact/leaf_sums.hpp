// Exact sums over the leaves of a reduction: its truth, and what error bounds are relative to.
#pragma once

#include <optional>

#include "sim/dyadic.hpp"
#include "sim/leaves.hpp"

namespace whybits::exact {

/// The exact sum of all leaves, c and the named operands; nullopt if one is NaN or infinite.
std::optional<Dyadic> exact_value(const Leaves& leaves);

/// The same of the magnitudes: Σ|leaf| + |c| + Σ|operand|.
std::optional<Dyadic> magnitude(const Leaves& leaves);

/// A magnitude as a matrix unit aligns it: of exact products a·b, subnormal factors count as the
/// smallest normal number. Equal to magnitude() where there are none.
std::optional<Dyadic> aligned_magnitude(const Leaves& leaves);

}  // namespace whybits::exact
