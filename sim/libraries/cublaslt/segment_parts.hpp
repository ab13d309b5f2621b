// Algorithms 39, 43 and 62 with SPLITK_NUM −1: into how many parts K is cut where there is room on
// the device for more thread block clusters than the output has tiles. The kernel takes the number
// that costs least: k tiles of the longest part, and a price for every level of the tree that adds
// the parts. Nine parts or more are folded instead, if every part has nine k tiles.
//
// The prices are read off pairs of masked addends (docs/cublaslt.md): an interval for each kernel
// and size of tile. Where its two ends give different numbers, the rule has no answer.
#pragma once

#include <cstdint>
#include <optional>

namespace whybits::cublaslt {

inline constexpr std::uint64_t folded_from = 9;  ///< parts: so many are folded, fewer are a tree

/// Parts of a tile that has room for `room` ≥ 1 times its clusters; nullopt where it is open.
/// `area` is the tile's rows × columns. `k_tiles` ≥ 1.
std::optional<std::uint64_t> parts_of_all(std::uint32_t id, std::uint64_t area,
                                          std::uint64_t k_tiles, std::uint64_t room);

/// Parts of the last tiles, which do not fill the device: `room` is for one of them.
std::optional<std::uint64_t> parts_of_last(std::uint32_t id, std::uint64_t k_tiles,
                                           std::uint64_t room);

}  // namespace whybits::cublaslt
