// How often a topology adds each named operand.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/tree.hpp"

namespace whybits::exact {

/// By name; a name that is not there is not added. `slices(32, fold(f32) + bias, fold(f32))` adds
/// the bias once a slice, and its exact result has it as often.
using OperandUses = std::map<std::string, std::uint64_t>;

OperandUses operand_uses(const Tree& tree);

}  // namespace whybits::exact
