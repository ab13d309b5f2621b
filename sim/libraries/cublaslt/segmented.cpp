// Algorithms 39, 43 and 62 with SPLITK_NUM −1: a kernel that has T tile clusters and room for C of
// them cuts K so that the room is used: all tiles if T ≤ C, else the last T mod C. So outputs of
// one matrix can have two topologies.
#include <algorithm>
#include <span>

#include "sim/libraries/cublaslt/codes.hpp"
#include "sim/libraries/cublaslt/exceptions.hpp"
#include "sim/libraries/cublaslt/families.hpp"
#include "sim/libraries/cublaslt/segment_parts.hpp"

namespace whybits::cublaslt {
namespace {

/// How many clusters of 1, 2, … thread blocks fit at once on the H200 that was measured, by
/// cudaOccupancyMaxActiveClusters with a thread block a multiprocessor.
constexpr std::uint32_t h200_clusters[] = {132, 66, 39, 30, 22, 17, 15, 15, 9, 7, 7, 7, 7, 7, 7, 7};

/// 0 where it is not known.
std::uint64_t clusters_that_fit(std::uint64_t size, const Place& place) {
  const std::span<const std::uint32_t> fit =
      place.clusters.empty() ? std::span<const std::uint32_t>(h200_clusters) : place.clusters;
  return size <= fit.size() ? fit[size - 1] : 0;
}

/// The cluster that a kernel states. Kernels of 128x128 tiles that state none have 2x2: every
/// output's topology of one run was probed, of others row 0 was compared. Those of 256x128 tiles
/// are known by one shape only, which they do not cut, as clusters of 1 to 4 blocks would not.
struct Cluster {
  Extent extent;
  bool is_known = true;
};
std::optional<Cluster> cluster_of(const Algorithm& algorithm) {
  constexpr std::uint32_t tile_128x128 = 20, tile_256x128 = 24;
  if (algorithm.cluster_shape == 0 && algorithm.tile == tile_128x128) return Cluster{{2, 2}};
  if (algorithm.cluster_shape == 0 && algorithm.tile == tile_256x128) return Cluster{{2, 1}, false};
  const auto stated = cluster_extent(algorithm.cluster_shape);
  return stated ? std::optional(Cluster{*stated}) : std::nullopt;
}

/// Which tile clusters are cut, and in how many parts.
struct Cuts {
  std::uint64_t first_cut = 0;  ///< in the order of tile clusters
  std::uint64_t parts = 1;
  bool everywhere = false;  ///< T ≤ C
};

std::optional<Cuts> cuts_for(std::uint32_t id, Extent tile, std::uint64_t clusters,
                             std::uint64_t room, std::uint64_t k_tiles) {
  const bool everywhere = clusters <= room;
  const std::uint64_t last = everywhere ? clusters : clusters % room;
  if (last == 0) return Cuts{clusters, 1, false};
  const auto parts = everywhere ? parts_of_all(id, tile.rows * tile.columns, k_tiles, room / last)
                                : parts_of_last(id, k_tiles, room / last);
  if (!parts) return std::nullopt;
  return Cuts{clusters - last, *parts, everywhere};
}

/// Partials of ascending k: adjacent pairs from the last, or a left fold from the last.
SchemaPtr cut_topology(const Unit& unit, std::uint64_t k, std::uint64_t k_tile, const Cuts& cuts) {
  const std::uint64_t tiles = ceil_div(k, k_tile);
  const std::uint64_t each = tiles / cuts.parts, longer = tiles % cuts.parts;
  Cut cut;
  std::uint64_t end = 0;
  for (std::uint64_t part = 0; part + 1 < cuts.parts; ++part) {
    end += each + (part >= cuts.parts - longer ? 1 : 0);
    cut.borders.push_back(end * k_tile);
  }
  const Unit add = ieee_add(unit.format == formats::f16 ? formats::f16 : formats::f32);
  const bool folded = cuts.everywhere && cuts.parts >= folded_from;
  cut.each = fold_of(unit);
  cut.merge = schema(Reverse{folded ? fold_of(add) : schema(Pairs{add})});
  return schema(std::move(cut));
}

/// The output as a grid of tile clusters, in our rows (m) and columns (n).
struct Grid {
  std::uint64_t rows, columns;  ///< outputs of a cluster
  std::uint64_t down, across;   ///< clusters
  bool down_first;              ///< the next cluster is the one below
  bool serpentine;              ///< every other line of clusters is walked backward
  std::uint64_t index(std::uint64_t i, std::uint64_t j) const {
    if (!down_first) return i * across + (serpentine && i % 2 == 1 ? across - 1 - j : j);
    return j * down + (serpentine && j % 2 == 1 ? down - 1 - i : i);
  }
};

Grid grid_of(const Problem& problem, const Algorithm& algorithm, Extent tile, Extent cluster) {
  // The kernel's rows are our n, except where algorithm 43 sees B as k×n.
  const bool turned = algorithm.id == 43 && problem.storage_b == StorageB::kn;
  Extent outputs{tile.rows * cluster.rows, tile.columns * cluster.columns};
  if (!turned) std::swap(outputs.rows, outputs.columns);
  const auto across_tiles = [&](std::uint64_t extent, std::uint64_t t, std::uint64_t c) {
    return ceil_div(ceil_div(extent, t), c);
  };
  const Extent t = turned ? tile : Extent{tile.columns, tile.rows};
  const Extent c = turned ? cluster : Extent{cluster.columns, cluster.rows};
  return {outputs.rows,
          outputs.columns,
          across_tiles(problem.shape.m, t.rows, c.rows),
          across_tiles(problem.shape.n, t.columns, c.columns),
          turned || algorithm.cta_swizzling == 1,
          algorithm.id == 43 && (turned || algorithm.cta_swizzling == 0)};
}

/// Of algorithm 62 the order of tiles was seen without swizzle only, and not of 256x64 tiles.
bool order_is_known(const Algorithm& algorithm) {
  constexpr std::uint32_t tile_256x64 = 21;
  return algorithm.id != 62 || (algorithm.cta_swizzling == 0 && algorithm.tile != tile_256x64);
}

TopologyMap map_of(const GemmShape& shape, const Grid& grid, const Cuts& cuts,
                   const SchemaPtr& whole, const SchemaPtr& cut) {
  TopologyMap map;
  for (std::uint64_t row = 0; row < shape.m; ++row)
    for (std::uint64_t column = 0; column < shape.n; column += grid.columns) {
      const bool is_cut = grid.index(row / grid.rows, column / grid.columns) >= cuts.first_cut;
      const SchemaPtr& topology = is_cut ? cut : whole;
      const std::uint64_t begin = row * shape.n + column;
      const std::uint64_t end = row * shape.n + std::min(column + grid.columns, shape.n);
      if (!map.regions.empty() && map.regions.back().topology == topology)
        map.regions.back().end = end;
      else
        map.regions.push_back({begin, end, topology});
    }
  return map;
}

}  // namespace

std::uint64_t batches_alike(const Problem& problem, const Algorithm& algorithm) {
  if (algorithm.split_k != decided_by_kernel) return 0;
  const auto tile = tile_extent(algorithm.tile);
  const auto cluster = cluster_of(algorithm);
  return tile && cluster ? grid_of(problem, algorithm, *tile, cluster->extent).rows : 0;
}

Derived segmented(const Problem& problem, TypeKind kind, const Algorithm& algorithm,
                  const Place& place) {
  const std::string id = "algorithm id " + std::to_string(algorithm.id);
  const Unit unit = device_unit(kind == TypeKind::tf32          ? "sm90.wgmma.tf32"
                                : kind == TypeKind::f16_compute ? "sm90.wgmma.f16.acc16"
                                                                : "sm90.wgmma.e4m3");
  if (algorithm.split_k == 1) return finished(fold_of(unit), problem);
  if (algorithm.split_k != decided_by_kernel)
    return NoRule{id + " was measured with split_k 1 and -1 only"};
  const auto tile = tile_extent(algorithm.tile);
  const auto cluster = cluster_of(algorithm);
  const auto k_step = k_tile(algorithm.stages);
  if (!tile || !cluster || !k_step)
    return NoRule{id + " with split_k -1 needs tile, cluster and stages of known size"};
  if (algorithm.cta_swizzling > 1 || (algorithm.id == 39 && algorithm.cta_swizzling != 0))
    return NoRule{id + " was not measured with cta_swizzling " +
                  std::to_string(algorithm.cta_swizzling)};
  const Grid grid = grid_of(problem, algorithm, *tile, cluster->extent);
  const std::uint64_t clusters = grid.down * grid.across,
                      k_tiles = ceil_div(problem.shape.k, *k_step);
  const std::uint64_t size = cluster->extent.rows * cluster->extent.columns;
  const std::uint64_t room = clusters_that_fit(size, place);
  if (room == 0 || clusters == 0)
    return NoRule{"how many clusters of " + std::to_string(size) + " fit is not known"};
  const auto cuts = cuts_for(algorithm.id, *tile, clusters, room, k_tiles);
  if (!cuts)
    return NoRule{"into how many parts " + id + " cuts " + std::to_string(k_tiles) +
                  " k tiles here was not measured"};
  if (cuts->parts <= 1) return finished(fold_of(unit), problem);
  if (!cluster->is_known) return NoRule{id + " states no cluster, and this tile's is not known"};
  if (const auto exception = measured_otherwise(problem, algorithm)) return *exception;
  SchemaPtr cut = finished(cut_topology(unit, problem.shape.k, *k_step, *cuts), problem);
  if (cuts->everywhere) return cut;
  if (!order_is_known(algorithm))
    return NoRule{"which tiles " + id + " cuts with this tile and swizzle was not measured"};
  return map_of(problem.shape, grid, *cuts, finished(fold_of(unit), problem), cut);
}

}  // namespace whybits::cublaslt
