#include "sim/libraries/cublaslt/segment_parts.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "sim/ceil_div.hpp"

namespace whybits::cublaslt {
namespace {

constexpr std::uint64_t small = 4096, middle = 8192, large = 16384;  // 64x64, twice, four times

/// What a level of the tree costs, in hundredths of a k tile.
struct LevelPrice {
  std::uint32_t id;
  std::uint64_t area;
  std::uint64_t least, most;  ///< both inside of what every probed run allows
};
constexpr LevelPrice prices[] = {
    {43, small, 2225, 3175}, {43, middle, 1625, 2675}, {43, large, 1625, 2575},
    {62, small, 1525, 1575}, {62, middle, 1125, 1175}, {62, large, 925, 975},
};
constexpr std::uint64_t hundred = 100;
constexpr std::uint64_t most_of_tree = folded_from - 1;

std::uint64_t levels(std::uint64_t parts) {
  return static_cast<std::uint64_t>(std::bit_width(parts - 1));
}

/// The cheapest number of parts for a tree, the smaller of two that cost the same.
std::uint64_t cheapest(std::uint64_t k_tiles, std::uint64_t most, std::uint64_t price) {
  std::uint64_t best = 1, least = hundred * k_tiles;
  for (std::uint64_t parts = 2; parts <= most; ++parts) {
    const std::uint64_t cost = hundred * ceil_div(k_tiles, parts) + price * levels(parts);
    if (cost >= least) continue;
    best = parts;
    least = cost;
  }
  return best;
}

constexpr std::uint32_t id_f16 = 39, id_tf32 = 43;
/// k tiles of a part that is folded.
constexpr std::uint64_t least_of_fold = 9;

/// Where the last tiles were seen to be cut as far as the room allows, or not at all.
struct LastTiles {
  std::uint32_t id;
  std::uint64_t k_from, k_to, most_room;
  bool cut;
};
constexpr std::uint64_t any = ~std::uint64_t{0};
constexpr LastTiles last_tiles[] = {
    {39, 1, any, any, true}, {43, 1, 127, 4, true},  {43, 128, any, any, true},
    {62, 1, 9, any, false},  {62, 17, any, 2, true},
};

}  // namespace

std::optional<std::uint64_t> parts_of_all(std::uint32_t id, std::uint64_t area,
                                          std::uint64_t k_tiles, std::uint64_t room) {
  // Of algorithm 39 no run shows a price: K was long enough in all of them.
  if (id == id_f16) return room < folded_from || room > 12 ? std::optional(room) : std::nullopt;
  const std::uint64_t folded = std::min(room, k_tiles / least_of_fold);
  if (folded >= folded_from) {
    // Of algorithm 43 only 13 parts and more were seen.
    if (id == id_tf32 && (folded != room || folded <= 12)) return std::nullopt;
    return folded;
  }
  const std::uint64_t most = std::min(room, most_of_tree);
  if (most == 1) return 1;
  const auto price = std::ranges::find_if(
      prices, [&](const LevelPrice& row) { return row.id == id && row.area == area; });
  if (price == std::end(prices)) return std::nullopt;
  const std::uint64_t parts = cheapest(k_tiles, most, price->least);
  return parts == cheapest(k_tiles, most, price->most) ? std::optional(parts) : std::nullopt;
}

std::optional<std::uint64_t> parts_of_last(std::uint32_t id, std::uint64_t k_tiles,
                                           std::uint64_t room) {
  if (room <= 1) return 1;
  const auto seen = std::ranges::find_if(last_tiles, [&](const LastTiles& row) {
    return row.id == id && row.k_from <= k_tiles && k_tiles <= row.k_to && room <= row.most_room;
  });
  if (seen == std::end(last_tiles)) return std::nullopt;
  constexpr std::uint64_t least_k_tiles = 3;  // of a part
  return seen->cut ? std::min(room, ceil_div(k_tiles, least_k_tiles)) : 1;
}

}  // namespace whybits::cublaslt
