#include "gpu/probe.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "sim/ceil_div.hpp"

namespace whybits::gpu {
namespace {

void same(const std::string& what, std::uint64_t asked, std::uint64_t seen) {
  if (asked != seen)
    throw ProbeError(what + ": " + std::to_string(asked) + " asked for, " + std::to_string(seen) +
                     " seen");
}

/// What one family of kernels does in a k tile.
struct Family {
  std::uint64_t warps;   ///< that log
  std::uint64_t stages;  ///< of the ring; 1 if there is none
  bool ring_restarts;    ///< at every tile
  /// Instructions of all warps in a k tile of `length` addends.
  std::uint64_t (*instructions)(const Instruction&, const LaunchParams&, std::uint64_t length);
};

/// Lane 0 of each warp counts its fma steps.
std::uint64_t simt_steps(const Instruction&, const LaunchParams& p, std::uint64_t length) {
  std::uint64_t outputs = 0;
  for (std::uint64_t first = 0; first < p.block_m * p.block_n; first += 32) ++outputs;
  return outputs * length;
}

std::uint64_t mma_instructions(const Instruction& i, const LaunchParams& p, std::uint64_t length) {
  const std::uint64_t part = p.block_k / p.warp_slices;
  std::uint64_t steps = 0;
  for (std::uint64_t begin = 0; begin < length; begin += part)
    steps += ceil_div(std::min(part, length - begin), i.k);
  return p.block_m / 16 * (p.block_n / 8) * steps;
}

std::uint64_t wgmma_instructions(const Instruction& i, const LaunchParams& p,
                                 std::uint64_t length) {
  return p.block_m / 16 * ceil_div(length, i.k);
}

/// Whole panels of 64 addends.
std::uint64_t fixed_instructions(const Instruction& i, const LaunchParams& p,
                                 std::uint64_t length) {
  return p.block_n / 16 * ceil_div(length, std::uint64_t{64}) * (64 / i.k);
}

Family family_of(const Kernel& kernel, const LaunchParams& p) {
  if (kernel.name == "simt.gemm") return {p.warps, 1, true, simt_steps};
  if (kernel.name == "mma.gemm") return {p.warps, p.stages, true, mma_instructions};
  if (kernel.name == "fixed.gemm") return {p.block_n / 16, p.stages, false, fixed_instructions};
  return {p.block_m / 16, p.stages, false, wgmma_instructions};
}

using Place = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;  // row, column, part

/// Which block of threads has tile t of slice s, or of a share of Stream-K; in launch order.
void check_blocks(const LaunchParams& p, std::uint64_t t, std::uint64_t part, std::uint64_t tiles,
                  std::uint64_t cta) {
  if (p.split == "stream_k") return;  // borders tell
  const std::uint64_t item = part * tiles + t;
  same("block of threads of tile " + std::to_string(t) +
           " in the order of group_m = " + std::to_string(p.group_m),
       p.ctas == 0 ? item : item % p.ctas, cta);
}

/// The same of fixed.gemm. A cluster takes a wide tile: its blocks lie side by side, or have slices
/// of one tile, or both.
class FixedBlocks {
 public:
  FixedBlocks(const LaunchParams& p, const Shape& shape) : p_(p) {
    LaunchParams wide = p;
    wide.block_n *= p.cluster;
    std::uint64_t count = 0;
    for (const TilePlace& place : tile_order(wide, shape))
      index_[{place.row, place.column}] = count++;
  }
  void check(const TilePlace& tile, std::uint64_t part, std::uint64_t parts,
             std::uint64_t cta) const {
    const std::uint64_t width = p_.block_n * p_.cluster;
    const std::uint64_t wide = index_.at({tile.row, tile.column / width * width});
    const std::uint64_t rank = tile.column % width / p_.block_n;
    const std::uint64_t item = p_.split == "cluster"
                                   ? wide * ceil_div(parts, p_.together) + part / p_.together
                               : p_.split == "running" ? wide
                                                       : part * index_.size() + wide;
    const std::uint64_t clusters = p_.ctas / p_.cluster;
    same("block of threads of the tile at " + std::to_string(tile.row) + ", " +
             std::to_string(tile.column) + " in clusters of " + std::to_string(p_.cluster),
         (clusters == 0 ? item : item % clusters) * p_.cluster + rank, cta);
  }

 private:
  LaunchParams p_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> index_;
};

}  // namespace

ProbeSummary check_probe(const Kernel& kernel, const LaunchParams& p, const Shape& shape,
                         std::span<const ProbeRecord> records) {
  const Family family = family_of(kernel, p);
  const Instruction& instruction = kernel.instruction(p);
  std::map<Place, std::vector<ProbeRecord>> segments;
  std::set<std::uint64_t> ctas, warps, stages, parts;
  std::map<std::uint64_t, std::set<std::pair<Place, std::uint64_t>>> k_tiles_of_cta;
  ProbeSummary summary;
  for (const ProbeRecord& r : records) {
    const Place place{r.tile_m, r.tile_n, r.part};
    segments[place].push_back(r);
    ctas.insert(r.cta);
    warps.insert(r.warp);
    stages.insert(r.stage_offset);
    parts.insert(r.part);
    k_tiles_of_cta[r.cta].insert({place, r.k_begin});
    summary.instructions += r.instructions;
  }
  const std::vector<TilePlace> order = tile_order(p, shape);
  const auto borders = slice_borders(p, shape);
  std::optional<FixedBlocks> fixed;
  if (kernel.name == "fixed.gemm") fixed.emplace(p, shape);
  std::uint64_t expected_records = 0, expected_instructions = 0, expected_segments = 0;
  std::uint64_t longest = 0;  // k tiles that one ring sees
  for (std::size_t t = 0; t < order.size(); ++t)
    for (std::size_t part = 0; part + 1 < borders[t].size(); ++part) {
      ++expected_segments;
      const std::string name = "tile at " + std::to_string(order[t].row) + ", " +
                               std::to_string(order[t].column) + ", slice " + std::to_string(part);
      const auto found = segments.find({order[t].row, order[t].column, part});
      if (found == segments.end()) throw ProbeError(name + ": not computed");
      if (fixed)
        fixed->check(order[t], part, borders[t].size() - 1, found->second[0].cta);
      else
        check_blocks(p, t, part, order.size(), found->second[0].cta);
      std::map<std::uint64_t, std::uint64_t> seen;  // k tile → records
      for (const ProbeRecord& r : found->second) ++seen[r.k_begin];
      std::uint64_t k = borders[t][part], tiles = 0;
      for (; k < borders[t][part + 1]; k += p.block_k, ++tiles) {
        same(name + ", warps at k = " + std::to_string(k), family.warps, seen[k]);
        expected_records += family.warps;
        expected_instructions +=
            family.instructions(instruction, p, std::min(p.block_k, borders[t][part + 1] - k));
      }
      same(name + ": k tiles of block_k = " + std::to_string(p.block_k), tiles, seen.size());
      longest = std::max(longest, tiles);
    }
  if (!family.ring_restarts)
    for (const auto& [cta, k_tiles] : k_tiles_of_cta)
      longest = std::max<std::uint64_t>(longest, k_tiles.size());
  same("tiles and slices", expected_segments, segments.size());
  same("records", expected_records, records.size());
  same("warps", family.warps, warps.size());
  same("stages", std::min(family.stages, longest), stages.size());
  same("instructions", expected_instructions, summary.instructions);
  if (p.split == "stream_k") same("ctas", p.ctas, ctas.size());
  summary.records = records.size();
  summary.ctas = ctas.size();
  summary.tiles = order.size();
  summary.parts = parts.size();
  summary.warps = warps.size();
  summary.stages = stages.size();
  return summary;
}

}  // namespace whybits::gpu
