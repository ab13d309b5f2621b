#include "sim/builders/cub_sum.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sim/builders/block_sum.hpp"

namespace whybits {
namespace {

constexpr std::uint64_t threads = 256;
constexpr std::uint64_t items = 16;  // a thread's share of a tile
constexpr std::uint64_t vector = 4;
constexpr std::uint64_t tile = threads * items;
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

SchemaPtr full_tile() {
  return schema(Lanes{threads, vector, pairs(), block_totals()});
}
SchemaPtr short_tile() {
  return schema(Lanes{threads, 1, fold(), block_totals()});
}

/// A full tile and a short one by the same threads, listed thread by thread: the two are dealt
/// differently, so no regular form says it.
SchemaPtr full_and_short_tile(std::uint64_t n) {
  std::vector<std::uint64_t> places;
  std::vector<std::uint64_t> borders;  // between threads
  for (std::uint64_t thread = 0; thread < threads; ++thread) {
    if (thread > 0) borders.push_back(places.size());
    for (std::uint64_t round = 0; round < items / vector; ++round)
      for (std::uint64_t i = 0; i < vector; ++i)
        places.push_back(round * threads * vector + thread * vector + i);
    for (std::uint64_t at = tile + thread; at < n; at += threads) places.push_back(at);
  }
  std::vector<std::uint64_t> singles;  // each value beyond the first 16 is folded by itself
  for (std::uint64_t at = tile; at < n; at += threads) singles.push_back(items + singles.size());
  return schema(
      Order{std::move(places),
            schema(Cut{std::move(borders), schema(Cut{std::move(singles), pairs(), fold()}),
                       block_totals()})});
}

}  // namespace

SchemaPtr cub_block_sum(std::uint64_t n) {
  if (n >= 2 * tile)
    throw ConfigurationError("n", n, "one block is known for fewer than 8192 values");
  if (n < tile) return short_tile();
  return n == tile ? full_tile() : full_and_short_tile(n);
}

SchemaPtr cub_device_sum(std::uint64_t n, std::uint64_t sms) {
  if (sms == 0) throw ConfigurationError("sms", sms, "must be at least 1");
  SchemaPtr total;
  if (n <= tile) {
    total = cub_block_sum(n);
  } else {
    const std::uint64_t tiles = n / tile + (n % tile != 0 ? 1 : 0);
    if (tiles > blocks_per_sm * sms)
      throw ConfigurationError("n", n,
                               "at most " + std::to_string(blocks_per_sm * sms * tile) +
                                   ", one tile a block; no topology is known beyond");
    total = schema(Slices{tile, full_tile(), cub_block_sum(tiles), short_tile()});
  }
  // The initial value 0 is added last; it shows in the sign of a zero only.
  return schema(Slices{std::max<std::uint64_t>(n, 1), total,
                       schema(Fold{ieee_add(formats::f32), Start::zero})});
}

}  // namespace whybits
