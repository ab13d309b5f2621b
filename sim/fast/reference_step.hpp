// Single steps by sim's own arithmetic, on codes: what lanes cannot do, and what they do rarely.
#pragma once

#include <span>

#include "sim/fast/lane_operands.hpp"
#include "sim/fast/plan.hpp"

namespace whybits::fast {

/// A leaf number for a zero product.
inline constexpr std::uint32_t no_leaf = ~std::uint32_t{0};

/// One step of a unit that takes products: leaves of output (row, column), at most unit.addends.
/// `acc` and the result are codes of unit.format.
Bits reference_products(const Unit& unit, const LaneOperands& operands, std::uint64_t row,
                        std::uint64_t column, std::span<const std::uint32_t> leaves, Bits acc);

/// A leaf that is a value: its format and code.
Scalar reference_leaf(const LaneOperands& operands, std::uint64_t row, std::uint64_t column,
                      std::uint64_t leaf);

/// acc + x in the unit's format, and its rounding after. The operands are of any narrower format.
Scalar reference_add(const Unit& unit, const Scalar& acc, const Scalar& x);

/// The rounding after a step, if the unit has one.
Scalar reference_after(const Unit& unit, Bits code);

}  // namespace whybits::fast
