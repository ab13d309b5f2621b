// The tree of additions of a black box, from masked inputs.
//
// For a pair of addends i < j: x_i = +M, x_j = −M, all others u, with M so large that u vanishes
// beside it. What is added to either before the two cancel is lost; what comes after is counted.
// The result in units of u is n − (leaves below the lowest common ancestor of i and j), and these
// numbers give the tree. (FPRev, USENIX ATC 2025, has the idea.) One call probes every element at
// once.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sim/schema.hpp"

namespace whybits {

/// Leaves below the lowest common ancestor, [i][j] for i ≠ j; symmetric.
using PairLeaves = std::vector<std::vector<std::uint64_t>>;

/// The mask and the unit of a format, exact in it: n units are counted exactly.
struct MaskValues {
  Bits mask, minus_mask, unit;
  Format format;
};
/// `wide_accumulator`: the unit vanishes beside the mask in f32 too, else in the format itself only
/// (f16: 2^15 and 1). Errors: ConfigurationError if the format cannot count to n.
MaskValues mask_values(const Format& format, std::uint64_t n, bool wide_accumulator = true);

/// The tree, as nested lists added from the left; addends that are added in one step (or exactly)
/// share a list. nullopt if no tree gives these numbers: the box adds otherwise from call to call,
/// or what it does is no sum.
std::optional<Nested> decode_pairs(const PairLeaves& leaves);

/// Probes a box that reduces n vectors of equal length element by element: inputs[r][e], returns
/// [e]. n(n − 1)/2 calls; [e][i][j].
std::vector<PairLeaves> probe_pairs(
    const MaskValues& values, std::uint64_t n, std::uint64_t elements,
    const std::function<std::vector<Bits>(const std::vector<std::vector<Bits>>&)>& box);

}  // namespace whybits
