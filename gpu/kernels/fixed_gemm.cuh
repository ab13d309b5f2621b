// GEMM by wgmma whose tree depends on K alone and whose schedule is free, compute capability 9.0.
//
// K is cut into slices; each is one chain of k16 steps from +0; the slices' sums are added in
// ascending order in f32; the total is rounded once. Who computes a slice, and when, is a matter
// of the schedule:
//   cluster       a tile's blocks, each with `together` slices, form a cluster and add partials in
//                 shared memory.
//   last_arrival  a block has one slice of a tile; partials meet in the workspace, and the block
//                 that comes last adds them. For few rows: all multiprocessors read weights at
//                 once.
//   running       a block has all slices of a tile, one after the other, and keeps the total in
//                 further accumulators. For many rows: there are tiles enough.
//
// The weights (n×k) are wgmma's M operand, 64 rows a warpgroup; the rows of a (m×k) are its N
// operand, so that a batch of 1 costs 8 columns. Products commute and a step has no order inside:
// the bits are those of a·b. One warp copies by the bulk tensor engine, one or two warpgroups
// multiply. Blocks of a cluster lie side by side in n: each copies a part of the rows of a to all.
#pragma once

#include "gpu/kernels/dynamic_shared.cuh"
#include "gpu/kernels/finish.cuh"
#include "gpu/kernels/hopper.cuh"
#include "gpu/kernels/launch_plan.hpp"
#include "gpu/kernels/ring.cuh"
#include "gpu/kernels/tensor_map.cuh"
#include "gpu/kernels/wgmma_instructions.cuh"

namespace whybits::gpu::fixed {

constexpr std::uint32_t panel_bytes = 128;  // of a row: the widest swizzle
constexpr std::uint32_t panel_k = 64;       // of 16-bit operands
constexpr std::uint32_t step_k = 16;
constexpr std::uint32_t steps_of_panel = panel_k / step_k;
constexpr std::uint64_t descriptor_step = step_k * 2 / 16;  // descriptors count 16 bytes
constexpr std::uint32_t tile_alignment = 1024;

/// Rows of outputs that are on their way out at once.
__host__ __device__ constexpr std::uint32_t box_rows(std::uint32_t block_m) {
  return block_m > 128 ? block_m / 2 : block_m;
}
/// From row to row of the partials in shared memory, elements: stores of a fragment and loads of
/// whole rows meet no bank twice.
__host__ __device__ constexpr std::uint32_t partial_pitch(std::uint32_t block_n) {
  return block_n + 4;
}

/// The bulk copy engine wants rows at multiples of 16 bytes; other outputs are stored by threads.
__host__ __device__ inline bool stored_by_engine(const GemmArgs& g) {
  return g.output == OutputType::bf16 && g.n % 8 == 0;
}

/// A launch, with what would cost every thread a division: at one row the first copy of weights is
/// a tenth of a microsecond later for each.
struct Args : GemmArgs {
  std::uint32_t parts;             ///< slices of K
  std::uint32_t partners;          ///< blocks of a cluster that have slices of the same tile
  std::uint32_t tiles_m, tiles_n;  ///< of a cluster's width

  __host__ explicit Args(const GemmArgs& g)
      : GemmArgs(g),
        parts((k + slice - 1) / slice),
        partners(split == Split::cluster ? (parts + together - 1) / together : 1),
        tiles_m((m + block_m - 1) / block_m),
        tiles_n((n + block_n * cluster - 1) / (block_n * cluster)) {}

  __host__ __device__ std::uint32_t tiles() const { return tiles_m * tiles_n; }
};

/// Shared memory: the ring of stages (panels of weights, then panels of a); the outputs on their
/// way out, or the sums of a cluster's earlier slices; barriers, a flag. The sum of a block's last
/// slice lies where the ring was.
struct Layout {
  std::uint32_t panels, weights, stage, partial, beside, barriers, bytes;

  __host__ __device__ explicit Layout(const GemmArgs& g)
      : panels(g.block_k / panel_k),
        weights(panels * g.block_n * panel_bytes),
        stage(weights + panels * g.block_m * panel_bytes),
        partial(g.block_m * partial_pitch(g.block_n) * 4),
        beside(g.stages * stage),
        barriers(beside + (g.split == Split::cluster ? (g.together - 1) * partial
                                                     : box_rows(g.block_m) * g.block_n * 2)),
        bytes(barriers + 2 * g.stages * 8 + 16 + tile_alignment) {}
};

struct Shared {
  unsigned char* tiles;
  unsigned char* beside;
  std::uint64_t *full, *empty;
  std::uint32_t* flag;

  __device__ Shared(unsigned char* memory, const Args& g, const Layout& layout) {
    const std::uint32_t used = hopper::shared_address(memory) % tile_alignment;
    tiles = memory + (tile_alignment - used) % tile_alignment;
    beside = tiles + layout.beside;
    full = reinterpret_cast<std::uint64_t*>(tiles + layout.barriers);
    empty = full + g.stages;
    flag = reinterpret_cast<std::uint32_t*>(empty + g.stages);
  }
};

/// A block's place in its cluster: `side` of those side by side in n, which are the blocks from
/// `first` on.
struct ClusterPlace {
  std::uint32_t side = 0, first = 0;

  __device__ explicit ClusterPlace(const Args& g) {
    if (g.cluster == 1 && g.partners == 1) return;
    const std::uint32_t rank = hopper::cluster_rank();
    side = rank & (g.cluster - 1);
    first = rank - side;
  }
};

/// A slice of a tile; `turn` of those that this block computes together, `last` of them or not.
struct Slice : Segment {
  std::uint32_t block, turn;  ///< block of the partners
  bool last;
};

/// The slices that a block computes, one after the other. Side by side lie `cluster` blocks; of
/// Split::cluster, the partners of one tile follow each other in one cluster.
class SliceWalk {
 public:
  __device__ explicit SliceWalk(const Args& g)
      : together_(g.split == Split::running   ? g.parts
                  : g.split == Split::cluster ? g.together
                                              : 1),
        item_(blockIdx.x / g.cluster) {
    if (g.split == Split::cluster) {
      tile_ = item_ / g.partners;
      block_ = item_ % g.partners;
    } else {
      find(g);
    }
  }

  __device__ bool next(const Args& g, Slice& s) {
    if (block_ * together_ >= g.parts) return false;
    s.tile = tile_;
    s.block = block_;
    s.turn = turn_;
    s.part = block_ * together_ + turn_;
    s.parts = g.parts;
    s.last = turn_ + 1 == together_ || s.part + 1 == g.parts;
    s.k_begin = s.part * g.slice;
    s.k_end = min(g.k, s.k_begin + g.slice);
    ++turn_;
    if (g.tiles_m == 1) {
      s.row = 0;
      s.column = tile_ * g.block_n * g.cluster;
    } else {
      place_tile(g, s);
    }
    s.column += blockIdx.x % g.cluster * g.block_n;
    if (s.last) advance(g);
    return true;
  }

 private:
  __device__ void find(const Args& g) {
    tile_ = item_ % g.tiles();
    block_ = item_ / g.tiles();
  }
  __device__ void advance(const Args& g) {
    turn_ = 0;
    if (g.split == Split::cluster) {
      block_ = g.parts;  // no more
    } else {
      item_ += gridDim.x / g.cluster;
      find(g);
    }
  }

  std::uint32_t together_, item_, tile_, block_, turn_ = 0;
};

__device__ inline void produce(const Args& g, const Layout& layout, const Shared& shared,
                               const CUtensorMap* map_a, const CUtensorMap* map_b) {
  const ClusterPlace place(g);
  const std::uint32_t share = g.block_m / g.cluster;  // rows of a that this block copies
  const auto everyone = static_cast<std::uint16_t>(((1u << g.cluster) - 1) << place.first);
  Ring ring{g.stages};
  SliceWalk walk(g);
  for (Slice s; walk.next(g, s);)
    for (std::uint32_t k = s.k_begin; k < s.k_end; k += g.block_k) {
      hopper::wait(&shared.empty[ring.stage], ring.parity ^ 1);
      std::uint64_t* full = &shared.full[ring.stage];
      hopper::arrive_expecting(full, layout.stage);
      unsigned char* weights = shared.tiles + ring.stage * layout.stage;
      unsigned char* rows = weights + layout.weights + place.side * share * panel_bytes;
      for (std::uint32_t p = 0; p < layout.panels; ++p, weights += g.block_n * panel_bytes)
        if (g.once)
          hopper::copy_box_once(weights, map_b, k + p * panel_k, s.column, full);
        else
          hopper::copy_box(weights, map_b, k + p * panel_k, s.column, full);
      for (std::uint32_t p = 0; p < layout.panels; ++p, rows += g.block_m * panel_bytes) {
        if (g.cluster > 1)
          hopper::copy_box_to(everyone, rows, map_a, k + p * panel_k, s.row + place.side * share,
                              full);
        else
          hopper::copy_box(rows, map_a, k + p * panel_k, s.row, full);
      }
      ring.advance();
    }
}

/// Warpgroup `warpgroup` of a block, and what its threads know of themselves.
struct Consumer {
  std::uint32_t threads, warpgroup, warp, lane;
  ClusterPlace place;

  __device__ explicit Consumer(const Args& g)
      : threads(g.block_n * 2),
        warpgroup(threadIdx.x / 128),
        warp(threadIdx.x / 32),
        lane(threadIdx.x % 32),
        place(g) {}

  __device__ void sync_block() const { asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory"); }
  __device__ void sync_warpgroup() const {
    asm volatile("bar.sync %0, 128;" ::"r"(2 + warpgroup) : "memory");
  }
};

/// sum = the slice's chain from +0.
template <int N>
__device__ void multiply(float (&sum)[N / 2], const Args& g, const Layout& layout,
                         const Shared& shared, const Consumer& me, const Segment& s, Ring& ring) {
#pragma unroll
  for (float& value : sum) value = 0;
  const auto release = [&](std::uint32_t stage) {
    if (me.lane != 0) return;
    if (g.cluster == 1) return hopper::arrive(&shared.empty[stage]);
    for (std::uint32_t block = 0; block < g.cluster; ++block)
      hopper::arrive_at(&shared.empty[stage], me.place.first + block);
  };
  std::uint32_t before = g.stages;  // the stage that the last group reads; none yet
  std::uint32_t k = s.k_begin;
  do {
    hopper::wait(&shared.full[ring.stage], ring.parity);
    const std::uint32_t offset = ring.stage * layout.stage;
    const std::uint32_t panels = ceil_div(min(g.block_k, s.k_end - k), panel_k);
    std::uint64_t weights = hopper::matrix_descriptor(
        shared.tiles + offset + me.warpgroup * 64 * panel_bytes, panel_bytes);
    std::uint64_t rows =
        hopper::matrix_descriptor(shared.tiles + offset + layout.weights, panel_bytes);
    std::uint32_t left = panels;
#pragma unroll 1
    do {
      hopper::begin_wgmma();
      // Steps beyond the last k add zeros, which change no accumulator: one of f32 is a multiple of
      // 2^-149, and the unit keeps 2^-158.
#pragma unroll
      for (std::uint32_t i = 0; i < steps_of_panel; ++i)
        Wgmma<WgmmaBf16, N>::step(sum, weights + i * descriptor_step, rows + i * descriptor_step);
      hopper::commit_wgmma();
      hopper::wait_wgmma<1>();
      weights += g.block_n * panel_bytes / 16;
      rows += g.block_m * panel_bytes / 16;
    } while (--left > 0);
    if (before < g.stages) release(before);
    // The last cluster of a row of tiles may reach beyond it.
    if (me.lane == 0 && s.column < g.n)
      log_k_tile(g, s, k, offset, me.warp, panels * steps_of_panel);
    before = ring.stage;
    ring.advance();
    k += g.block_k;
  } while (k < s.k_end);
  hopper::wait_wgmma<0>();
  hopper::hold(sum);
  release(before);
}

/// Into the output, rounded once. Accumulator r of a thread is column 16 · warp + lane / 4 + 8 · (r
/// / 2 % 2) of the tile, row 8 · (r / 4) + 2 · (lane % 4) + r % 2.
template <int N>
__device__ void deliver(const float (&total)[N / 2], const Args& g, const Shared& shared,
                        const Consumer& me, const Segment& s, const CUtensorMap* map_out) {
  if (!stored_by_engine(g)) {
#pragma unroll
    for (int r = 0; r < N / 2; ++r) {
      const std::uint32_t m = s.row + r / 4 * 8 + me.lane % 4 * 2 + r % 2;
      const std::uint32_t n = s.column + me.warp * 16 + me.lane / 4 + r / 2 % 2 * 8;
      if (m < g.m && n < g.n)
        store_as(g.output, g.out, static_cast<std::size_t>(m) * g.n + n, total[r]);
    }
    return;
  }
  // Rows of 64 columns, swizzled as the copy engine reads them; each warpgroup has its own.
  constexpr std::uint32_t rows = box_rows(N);
  unsigned char* box = shared.beside + me.warpgroup * rows * panel_bytes;
  const bool leader = threadIdx.x % 128 == 0;
  const std::uint32_t line = me.lane % 8;  // lanes from 16 on give addresses that nobody reads
  const std::uint32_t chunk = (me.warp % 4 * 2 + me.lane / 8 % 2) ^ line;
  const std::uint32_t to = hopper::shared_address(box) + line * panel_bytes + chunk * 16;
#pragma unroll
  for (std::uint32_t first = 0; first < N; first += rows) {
    if (leader) hopper::wait_stores_read();
    me.sync_warpgroup();
#pragma unroll
    for (std::uint32_t row = 0; row < rows; row += 8) {
      const auto pair = [&](std::uint32_t r) {
        const std::uint32_t at = (first + row) / 2 + r;
        const __nv_bfloat162 two = __floats2bfloat162_rn(total[at], total[at + 1]);
        return *reinterpret_cast<const std::uint32_t*>(&two);
      };
      hopper::store_transposed(to + row * panel_bytes, pair(0), pair(2));
    }
    hopper::publish_shared();
    me.sync_warpgroup();
    if (leader) hopper::store_box(map_out, s.column + me.warpgroup * 64, s.row + first, box);
  }
}

/// Leaves a partial in the workspace. True for the last block of the tile: it has all partials'
/// sum.
template <int N>
__device__ bool meet(float (&sum)[N / 2], const Args& g, const Shared& shared, const Consumer& me,
                     const Segment& s) {
  const std::uint32_t tiles = g.tiles() * g.cluster;
  const std::uint32_t tile = s.tile * g.cluster + me.place.side;
  const std::size_t slice = static_cast<std::size_t>(tiles) * (N / 8) * me.threads;
  float4* mine = static_cast<float4*>(g.workspace) +
                 static_cast<std::size_t>(tile) * (N / 8) * me.threads + threadIdx.x;
  const std::uint32_t groups = min(static_cast<std::uint32_t>(N / 8), ceil_div(g.m - s.row, 8));
#pragma unroll
  for (int i = 0; i < N / 8; ++i)
    if (i < groups)
      __stcg(mine + s.part * slice + i * me.threads,
             make_float4(sum[4 * i], sum[4 * i + 1], sum[4 * i + 2], sum[4 * i + 3]));
  __threadfence();
  me.sync_block();
  if (threadIdx.x == 0) {
    cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> ticket(g.tickets[tile]);
    const bool last = ticket.fetch_add(1, cuda::memory_order_acq_rel) + 1 == s.parts;
    if (last) ticket.store(0, cuda::memory_order_relaxed);  // for the next launch
    *shared.flag = last;
  }
  me.sync_block();
  if (*shared.flag == 0) return false;
  __threadfence();
  constexpr int batch = N > 128 ? 8 : N / 8;  // loads under way
#pragma unroll
  for (int first = 0; first < N / 8; first += batch)
    for (std::uint32_t part = 0; part < s.parts; ++part) {
      float4 next[batch];
#pragma unroll
      for (int i = 0; i < batch; ++i)
        next[i] =
            first + i < groups ? __ldcg(mine + part * slice + (first + i) * me.threads) : float4{};
#pragma unroll
      for (int i = 0; i < batch; ++i) {
        const float values[] = {next[i].x, next[i].y, next[i].z, next[i].w};
#pragma unroll
        for (int r = 0; r < 4; ++r) {
          float& value = sum[4 * (first + i) + r];
          value = part == 0 ? values[r] : __fadd_rn(value, values[r]);
        }
      }
    }
  return true;
}

/// The slices' sum so far, in this block's part of the workspace, while the accumulators are at
/// work on the next slice. Adds it to `sum`; keeps the new total unless it is the last.
template <int N>
__device__ void carry(float (&sum)[N / 2], const Args& g, const Consumer& me, const Segment& s) {
  float4* held = static_cast<float4*>(g.workspace) +
                 static_cast<std::size_t>(blockIdx.x) * (N / 8) * me.threads + threadIdx.x;
  constexpr int batch = 8;  // loads under way
#pragma unroll
  for (int first = 0; first < N / 8; first += batch) {
    if (s.part > 0) {
      float4 total[batch];
#pragma unroll
      for (int i = 0; i < batch; ++i) total[i] = __ldcg(held + (first + i) * me.threads);
#pragma unroll
      for (int i = 0; i < batch; ++i) {
        const float values[] = {total[i].x, total[i].y, total[i].z, total[i].w};
#pragma unroll
        for (int r = 0; r < 4; ++r) {
          float& value = sum[4 * (first + i) + r];
          value = __fadd_rn(values[r], value);
        }
      }
    }
    if (s.part + 1 == s.parts) continue;
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      const int at = 4 * (first + i);
      __stcg(held + (first + i) * me.threads,
             make_float4(sum[at], sum[at + 1], sum[at + 2], sum[at + 3]));
    }
  }
}

/// A thread's accumulators in a partial in shared memory, which lies row by row.
template <int N, typename Use>
__device__ void each_of_partial(float (&sum)[N / 2], const Args& g, const Consumer& me,
                                const Segment& s, unsigned char* partial, const Use& use) {
  float* const values = reinterpret_cast<float*>(partial);
  const std::uint32_t pitch = partial_pitch(g.block_n);
#pragma unroll
  for (int r = 0; r < N / 2; ++r) {
    const std::uint32_t row = r / 4 * 8 + me.lane % 4 * 2 + r % 2;
    if (s.row + r / 4 * 8 < g.m)
      use(values[row * pitch + me.warp * 16 + me.lane / 4 + r / 2 % 2 * 8], sum[r]);
  }
}

/// Leaves the sum of a slice where the cluster's other blocks find it. The block with the first
/// slices adds up its own: they come first in the order.
template <int N>
__device__ void leave(float (&sum)[N / 2], const Args& g, const Layout& layout,
                      const Shared& shared, const Consumer& me, const Slice& s) {
  if (s.block == 0 && s.turn > 0)
    each_of_partial<N>(sum, g, me, s, shared.beside,
                       [](float total, float& value) { value = __fadd_rn(total, value); });
  if (s.last) me.sync_block();  // all have read the ring
  each_of_partial<N>(
      sum, g, me, s,
      s.last ? shared.tiles : shared.beside + (s.block == 0 ? 0 : s.turn * layout.partial),
      [](float& place, float value) { place = value; });
}

/// Four outputs side by side.
__device__ inline void store_four(const Args& g, std::uint32_t row, std::uint32_t column,
                                  const float4& total) {
  const std::size_t at = static_cast<std::size_t>(row) * g.n + column;
  if (g.n % 4 == 0 && column < g.n && g.output == OutputType::bf16) {
    const __nv_bfloat162 low = __floats2bfloat162_rn(total.x, total.y);
    const __nv_bfloat162 high = __floats2bfloat162_rn(total.z, total.w);
    *reinterpret_cast<uint2*>(static_cast<__nv_bfloat16*>(g.out) + at) =
        make_uint2(*reinterpret_cast<const std::uint32_t*>(&low),
                   *reinterpret_cast<const std::uint32_t*>(&high));
    return;
  }
  const float values[] = {total.x, total.y, total.z, total.w};
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i)
    if (column + i < g.n) store_as(g.output, g.out, at + i, values[i]);
}

constexpr std::uint32_t most_parts = 8;  // blocks of a cluster, on every GPU of this capability

/// The partials of the cluster's blocks into the output: each block adds a share of the tile.
__device__ inline void add_up(const Args& g, const Layout& layout, const Shared& shared,
                              const Consumer& me, const Slice& s) {
  const std::uint32_t fours = g.block_n / 4, rows = min(g.block_m, g.m - s.row);
  const std::uint32_t shift = __ffs(static_cast<int>(fours)) - 1;
  const std::uint32_t ring = hopper::shared_address(shared.tiles);
  const std::uint32_t beside = hopper::shared_address(shared.beside);
  const std::uint32_t sums_there = 1 + s.parts - min(s.parts, g.together);
  for (std::uint32_t i = s.block * me.threads + threadIdx.x; i < rows * fours;
       i += g.partners * me.threads) {
    const std::uint32_t row = i >> shift, column = (i & (fours - 1)) * 4;
    const std::uint32_t offset = (row * partial_pitch(g.block_n) + column) * 4;
    float4 sums[most_parts];
    std::uint32_t owner = 0, turn = g.together - 1;
#pragma unroll
    for (std::uint32_t i_sum = 0; i_sum < most_parts; ++i_sum) {
      if (i_sum >= sums_there) break;
      const bool last = turn + 1 == g.together || i_sum + 1 == sums_there;
      sums[i_sum] = hopper::load_from((last ? ring : beside + turn * layout.partial) + offset,
                                      owner * g.cluster + me.place.side);
      if (++turn >= g.together) turn = 0, ++owner;
    }
    float4 total = sums[0];
#pragma unroll
    for (std::uint32_t part = 1; part < most_parts; ++part) {
      if (part >= sums_there) break;
      total.x = __fadd_rn(total.x, sums[part].x);
      total.y = __fadd_rn(total.y, sums[part].y);
      total.z = __fadd_rn(total.z, sums[part].z);
      total.w = __fadd_rn(total.w, sums[part].w);
    }
    store_four(g, s.row + row, s.column + column, total);
  }
}

template <int N, Split How>
__device__ void consume(const Args& g, const Layout& layout, const Shared& shared,
                        const CUtensorMap* map_out) {
  const Consumer me(g);
  constexpr bool in_registers = How == Split::running && N < 256;
  float sum[N / 2];
  float total[in_registers ? N / 2 : 1];
  Ring ring{g.stages};
  SliceWalk walk(g);
  for (Slice s; walk.next(g, s);) {
    multiply<N>(sum, g, layout, shared, me, s, ring);
    if constexpr (How == Split::cluster) {
      leave<N>(sum, g, layout, shared, me, s);
      if (!s.last) continue;
      hopper::sync_cluster();
      add_up(g, layout, shared, me, s);
    } else if constexpr (in_registers) {
#pragma unroll
      for (int r = 0; r < N / 2; ++r) total[r] = s.part == 0 ? sum[r] : __fadd_rn(total[r], sum[r]);
      if (s.part + 1 == s.parts) deliver<N>(total, g, shared, me, s, map_out);
    } else if constexpr (How == Split::running) {
      if (s.parts > 1) carry<N>(sum, g, me, s);
      if (s.part + 1 == s.parts) deliver<N>(sum, g, shared, me, s, map_out);
    } else {
      if (s.parts > 1 && !meet<N>(sum, g, shared, me, s)) continue;
      deliver<N>(sum, g, shared, me, s, map_out);
    }
  }
  if (How != Split::cluster && threadIdx.x % 128 == 0) hopper::wait_stores_read();
}

/// Wide tiles need more registers than a third of what there is: the copying warp gets a warpgroup,
/// which hands its registers to the others.
template <int N>
constexpr bool trades_registers = N >= 128;
template <int N>
constexpr std::uint32_t copying_threads = trades_registers<N> ? 128 : 32;
/// Bounds the registers: 168, or 128 so that two blocks of one warpgroup fit a multiprocessor.
template <int N>
constexpr std::uint32_t most_threads = trades_registers<N> ? 384 : 416;

template <int N, Split How>
__global__ __launch_bounds__(most_threads<N>,
                             1) void fixed_gemm(const Args g,
                                                const __grid_constant__ CUtensorMap map_a,
                                                const __grid_constant__ CUtensorMap map_b,
                                                const __grid_constant__ CUtensorMap map_out) {
  extern __shared__ unsigned char memory[];
  const Layout layout(g);
  const Shared shared(memory, g, layout);
  const std::uint32_t consumers = g.block_n / 16;  // warps
  if (threadIdx.x == 0) {
    for (std::uint32_t i = 0; i < g.stages; ++i) {
      hopper::init_barrier(&shared.full[i], 1);
      hopper::init_barrier(&shared.empty[i], consumers * g.cluster);
    }
    hopper::publish_barriers();
  } else if (threadIdx.x == consumers * 32) {
    hopper::fetch_map(&map_a);
    hopper::fetch_map(&map_b);
  }
  g.cluster > 1 ? hopper::sync_cluster() : __syncthreads();
  const std::uint32_t warp = __shfl_sync(0xffffffff, threadIdx.x / 32, 0);  // uniform
  if (warp < consumers) {
    if constexpr (trades_registers<N>) asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    consume<N, How>(g, layout, shared, &map_out);
  } else {
    if constexpr (trades_registers<N>) asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == consumers * 32) produce(g, layout, shared, &map_a, &map_b);
    if constexpr (How == Split::cluster) hopper::sync_cluster();
  }
  // Others may still copy into this block, arrive at its barriers, or read its partials.
  if (g.cluster > 1 || How == Split::cluster) hopper::sync_cluster();
}

}  // namespace whybits::gpu::fixed
