#include "sim/builders/cub_sum.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sim/builders/block_sum.hpp"
#include "sim/ceil_div.hpp"

namespace whybits {
namespace {

constexpr std::uint64_t threads = 256;
constexpr std::uint64_t items = 16;  // a thread's share of a tile
constexpr std::uint64_t vector = 4;
constexpr std::uint64_t tile = threads * items;
constexpr std::uint64_t most_listed = std::uint64_t{1} << 22;
constexpr std::uint64_t blocks_per_sm = 40;  // 8 resident ones, times CUB's oversubscription of 5

SchemaPtr fold() {
  return schema(Fold{ieee_add(formats::f32)});
}
SchemaPtr pairs() {
  return schema(Pairs{ieee_add(formats::f32)});
}
SchemaPtr block_totals() {
  return schema(Slices{32, warp_sum(WarpOrder::up), fold()});
}

/// Where a thread's items are cut, so that pairs of the pieces, folded, are what it computes. The
/// first full tile is a tree of neighbouring pairs over 16 items. A later one makes the total so
/// far the first of 17 items of such a tree: it meets item 0, then the pair of 1 and 2, the tree of
/// 3 to 6, of 7 to 14, and item 15 alone. Beyond full tiles, values are folded one by one.
std::vector<std::uint64_t> thread_borders(std::uint64_t tiles, std::uint64_t singles) {
  std::vector<std::uint64_t> borders;
  for (std::uint64_t first = items; first < tiles * items; first += items)
    for (const unsigned next : {0U, 1U, 3U, 7U, 15U}) borders.push_back(first + next);
  for (std::uint64_t i = 0; i < singles; ++i) borders.push_back(tiles * items + i);
  return borders;
}

SchemaPtr thread_sum(std::vector<std::uint64_t> borders) {
  if (borders.empty()) return pairs();
  return schema(Cut{std::move(borders), pairs(), fold()});
}

SchemaPtr full_tiles(std::uint64_t tiles) {
  return schema(Lanes{threads, vector, thread_sum(thread_borders(tiles, 0)), block_totals()});
}
SchemaPtr short_tile() {
  return schema(Lanes{threads, 1, fold(), block_totals()});
}

/// Full tiles and a short one by the same threads, listed thread by thread: the two are dealt
/// differently, so no regular form says it.
SchemaPtr full_tiles_and_short_one(std::uint64_t tiles, std::uint64_t n) {
  std::vector<std::uint64_t> places;
  std::vector<std::uint64_t> borders;  // between threads
  places.reserve(n);
  for (std::uint64_t thread = 0; thread < threads; ++thread) {
    if (thread > 0) borders.push_back(places.size());
    for (std::uint64_t round = 0; round < tiles * items / vector; ++round)
      for (std::uint64_t i = 0; i < vector; ++i)
        places.push_back(round * threads * vector + thread * vector + i);
    for (std::uint64_t at = tiles * tile + thread; at < n; at += threads) places.push_back(at);
  }
  const std::uint64_t singles = ceil_div(n - tiles * tile, threads);  // of thread 0
  return schema(Order{
      std::move(places),
      schema(Cut{std::move(borders), thread_sum(thread_borders(tiles, singles)), block_totals()})});
}

/// More tiles than blocks: block b takes tiles b, b + blocks, …; a second pass takes their results.
SchemaPtr several_tiles_a_block(std::uint64_t n, std::uint64_t blocks) {
  const std::uint64_t full = n / tile;
  const std::uint64_t rest = n % tile;
  const std::uint64_t tiles =
      full / blocks;  // of every block; the first full % blocks have another
  const std::uint64_t last = tiles * tile + rest;  // addends of the block with the short tile
  if (rest != 0 && last > most_listed)
    throw ConfigurationError("n", n,
                             "the block with the short tile has " + std::to_string(last) +
                                 " addends, of which no more than " + std::to_string(most_listed) +
                                 " are listed; take a multiple of 4096");
  // What a block computes follows from how many addends it has: the largest share comes first.
  SchemaPtr block = full_tiles(tiles);
  const auto or_else = [&](std::uint64_t addends, SchemaPtr topology) {
    block = schema(Slices{addends, std::move(topology), fold(), block});
  };
  if (rest != 0) or_else(last, full_tiles_and_short_one(tiles, last));
  if (full % blocks != 0) or_else((tiles + 1) * tile, full_tiles(tiles + 1));
  return schema(Lanes{blocks, tile, block, cub_block_sum(blocks)});
}

}  // namespace

SchemaPtr cub_block_sum(std::uint64_t n) {
  if (n >= 2 * tile)
    throw ConfigurationError("n", n, "one block is known for fewer than 8192 values");
  if (n < tile) return short_tile();
  return n == tile ? full_tiles(1) : full_tiles_and_short_one(1, n);
}

SchemaPtr cub_device_sum(std::uint64_t n, std::uint64_t sms) {
  constexpr std::uint64_t most_sms = (2 * tile - 1) / blocks_per_sm;
  if (sms == 0 || sms > most_sms)
    throw ConfigurationError("sms", sms,
                             "must be from 1 to " + std::to_string(most_sms) +
                                 ": the second pass is known for fewer than 8192 blocks");
  const std::uint64_t blocks = blocks_per_sm * sms;
  const std::uint64_t tiles = n / tile + (n % tile != 0 ? 1 : 0);
  SchemaPtr total;
  if (n <= tile)
    total = cub_block_sum(n);
  else if (tiles <= blocks)
    total = schema(Slices{tile, full_tiles(1), cub_block_sum(tiles), short_tile()});
  else
    total = several_tiles_a_block(n, blocks);
  // The initial value 0 is added last; it shows in the sign of a zero only.
  return schema(Slices{std::max<std::uint64_t>(n, 1), total,
                       schema(Fold{ieee_add(formats::f32), Start::zero})});
}

}  // namespace whybits
