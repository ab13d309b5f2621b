// Which block of threads computes which part of which output tile: shared by all GEMM kernels.
#pragma once

#include "gpu/kernels/gemm_args.hpp"

namespace whybits::gpu {

/// One output tile over k_begin ≤ k < k_end: slice `part` of `parts`.
struct Segment {
  std::uint32_t tile, row, column;  ///< linear tile, and its first output
  std::uint32_t part, parts;
  std::uint32_t k_begin, k_end;
};

__device__ inline std::uint32_t ceil_div(std::uint32_t a, std::uint32_t b) {
  return (a + b - 1) / b;
}

/// Tiles are walked in groups of group_m tile rows, down the columns of a group (the swizzle of
/// Triton's matmul). The blocks of a cluster have one tile together, side by side in n.
__device__ inline void place_tile(const GemmArgs& g, Segment& s) {
  const std::uint32_t width = g.block_n * g.cluster;
  const std::uint32_t tiles_m = ceil_div(g.m, g.block_m), tiles_n = ceil_div(g.n, width);
  const std::uint32_t in_group = g.group_m * tiles_n;
  const std::uint32_t first = s.tile / in_group * g.group_m;
  const std::uint32_t height = min(tiles_m - first, g.group_m);
  s.row = (first + s.tile % in_group % height) * g.block_m;
  s.column = s.tile % in_group / height * width;
}

/// The segments of one block of threads, one after the other.
///
/// Slices of K: all tiles of the first slice, then of the next; a persistent grid strides.
/// Stream-K: the k tiles of all tiles in one line, cut into equal shares, the first ones longer by
/// one. A block begins with its last tile, so that the block after it, which continues that tile's
/// total, need not wait long.
class SegmentWalk {
 public:
  __device__ explicit SegmentWalk(const GemmArgs& g)
      : tiles_(ceil_div(g.m, g.block_m) * ceil_div(g.n, g.block_n)),
        k_tiles_(ceil_div(g.k, g.block_k)),
        parts_(g.k == 0 ? 1 : ceil_div(g.k, g.slice)),
        item_(blockIdx.x) {
    if (g.split != Split::stream_k) return;
    each_ = tiles_ * k_tiles_ / g.workers;
    longer_ = tiles_ * k_tiles_ % g.workers;
    begin_ = begin_of(blockIdx.x);
    item_ = begin_of(blockIdx.x + 1);
  }

  /// False after the last one.
  __device__ bool next(const GemmArgs& g, Segment& s) {
    if (!(g.split == Split::stream_k ? next_share(g, s) : next_slice(g, s))) return false;
    place_tile(g, s);
    return true;
  }

 private:
  __device__ bool next_slice(const GemmArgs& g, Segment& s) {
    if (item_ >= tiles_ * parts_) return false;
    s.tile = item_ % tiles_;
    s.part = item_ / tiles_;
    s.parts = parts_;
    s.k_begin = s.part * g.slice;
    s.k_end = min(g.k, s.k_begin + g.slice);
    item_ += gridDim.x;
    return true;
  }
  __device__ bool next_share(const GemmArgs& g, Segment& s) {
    if (item_ <= begin_) return false;
    s.tile = (item_ - 1) / k_tiles_;
    const std::uint32_t origin = s.tile * k_tiles_, first = max(begin_, origin);
    s.part = blockIdx.x - worker_of(origin);
    s.parts = worker_of(origin + k_tiles_ - 1) - worker_of(origin) + 1;
    s.k_begin = (first - origin) * g.block_k;
    s.k_end = min(g.k, (item_ - origin) * g.block_k);
    item_ = first;
    return true;
  }
  __device__ std::uint32_t begin_of(std::uint32_t worker) const {
    return worker * each_ + min(worker, longer_);
  }
  __device__ std::uint32_t worker_of(std::uint32_t iteration) const {
    if (iteration < longer_ * (each_ + 1)) return iteration / (each_ + 1);
    return longer_ + (iteration - longer_ * (each_ + 1)) / each_;
  }

  std::uint32_t tiles_, k_tiles_, parts_;
  std::uint32_t item_;  ///< the next tile and slice; of Stream-K the end of what is left
  std::uint32_t begin_ = 0, each_ = 0, longer_ = 0;
};

/// Appends to the log; called by one lane of a warp.
__device__ inline void log_k_tile(const GemmArgs& g, const Segment& s, std::uint32_t k_begin,
                                  std::uint32_t stage_offset, std::uint32_t warp,
                                  std::uint32_t instructions) {
  if (g.probe.records == nullptr) return;
  const unsigned long long place = atomicAdd(g.probe.count, 1ULL);
  if (place < g.probe.capacity)
    g.probe.records[place] = {blockIdx.x, s.row,        s.column, s.part,
                              k_begin,    stage_offset, warp,     instructions};
}

}  // namespace whybits::gpu
