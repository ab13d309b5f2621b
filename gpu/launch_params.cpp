#include "gpu/launch_params.hpp"

#include <algorithm>
#include <array>

namespace whybits::gpu {

std::span<const Knob> knobs() {
  using P = LaunchParams;
  static const auto table = std::to_array<Knob>({
      {"instruction", nullptr, &P::instruction, "which arithmetic"},
      {"split", nullptr, &P::split, "how slices of K become one"},
      {"output", nullptr, &P::output, "format of the output"},
      {"block_m", &P::block_m, nullptr, "rows of a tile"},
      {"block_n", &P::block_n, nullptr, "columns of a tile"},
      {"block_k", &P::block_k, nullptr, "addends of a k tile"},
      {"group_m", &P::group_m, nullptr, "tile rows that are walked together"},
      {"warps", &P::warps, nullptr, "warps of a block"},
      {"threads", &P::threads, nullptr, "threads that share a row"},
      {"stages", &P::stages, nullptr, "k tiles in flight"},
      {"accumulators", &P::accumulators, nullptr, "accumulators of a thread over k"},
      {"warp_slices", &P::warp_slices, nullptr, "groups of warps that share every k tile"},
      {"promotion", &P::promotion, nullptr, "products of one accumulator; 0: all"},
      {"splits", &P::splits, nullptr, "slices of K"},
      {"split_grain", &P::split_grain, nullptr, "slices are multiples of this"},
      {"longest_slice", &P::longest_slice, nullptr, "addends of a slice at most"},
      {"cluster", &P::cluster, nullptr, "blocks side by side that share the rows of a"},
      {"together", &P::together, nullptr, "slices of a tile that a block of a cluster computes"},
      {"fetch", &P::fetch, nullptr, "bytes that the second-level cache takes at least"},
      {"once", &P::once, nullptr, "1: the second-level cache may let b go first"},
      {"ctas", &P::ctas, nullptr, "blocks that share all tiles; 0: one a tile and slice"},
      {"vector", &P::vector, nullptr, "consecutive addends of a thread"},
  });
  return table;
}

const Knob* find_knob(std::string_view name) {
  const auto all = knobs();
  const auto found = std::ranges::find(all, name, &Knob::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace whybits::gpu
