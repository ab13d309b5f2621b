// Attention of a few queries over many keys, softmax(q·kᵀ·scale)·v: a block of threads takes a
// query row and a split of the keys, tile by tile; a second kernel combines the splits.
//
//   t_j   c · lanes(32, by=vector, fold(f32.fma, from=0), halves(f32)) of q·k_j; a warp a key;
//         of a causal run −infinity for keys that the query does not see
//   tile  m' = max(m, t…), f = 2^(m − m'), p_j = 2^(t_j − m')
//         l' = fold(f32) of l·f, p_0, p_1, …;  o' = fold(f32.fma) of p_j·v_j, from o·f
//   split M = max m_s, w_s = 2^(m_s − M);  L, O = fold(f32.fma, from=0) of w_s·l_s, w_s·o_s
//         y = O / L, rounded once; 0 where L is 0
//
// sim/builders/split_attention.hpp says the same. `warps` is in no order.
#include <bit>

#include "gpu/kernels/block_reduce.cuh"
#include "gpu/kernels/dynamic_shared.cuh"
#include "gpu/kernels/element_types.cuh"
#include "gpu/kernels/log_blocks.cuh"
#include "gpu/kernels/recipe_launch.hpp"
#include "sim/builders/split_attention.hpp"

namespace whybits::gpu {
namespace {

struct AttentionArgs {
  std::uint32_t queries, keys, head_size;
  std::uint32_t heads_of_kv;  // heads that share keys and values
  std::uint32_t tile, split, splits, vector;
  bool causal;
  float c;       // scale · log2 e
  float *m, *l;  // [row][split]
  float* o;      // [row][split][head_size]
};

__device__ float finite_or_zero(float most) {
  return most == -INFINITY ? 0.0f : most;
}

/// q·k_j of one head, by a warp; lane 0 has it.
template <class T>
__device__ float dot(const AttentionArgs& g, const T* q, const T* k) {
  const std::uint32_t lane = threadIdx.x % 32;
  float own = 0;
  for (std::uint32_t base = lane * g.vector; base < g.head_size; base += 32 * g.vector)
    for (std::uint32_t d = base; d < min(g.head_size, base + g.vector); ++d)
      own = __fmaf_rn(widen(q[d]), widen(k[d]), own);
  return warp_down(own, min(32u, (g.head_size + g.vector - 1) / g.vector));
}

/// Block (row, split): m, l and o of one split of a query row.
template <class T>
__global__ void attend_split(const AttentionArgs g, const T* q, const T* k, const T* v,
                             LaunchedBlocks* log) {
  log_block(log);
  extern __shared__ float shared[];
  float* const o = shared;                // head_size
  float* const p = shared + g.head_size;  // tile
  const std::uint32_t row = blockIdx.x / g.splits, split = blockIdx.x % g.splits;
  const std::size_t head = row / g.queries / g.heads_of_kv;
  q += static_cast<std::size_t>(row) * g.head_size;
  k += head * g.keys * g.head_size;
  v += head * g.keys * g.head_size;
  const std::uint32_t warp = threadIdx.x / 32, warps = blockDim.x / 32, lane = threadIdx.x % 32;

  float m = -INFINITY, l = 0;
  for (std::uint32_t d = threadIdx.x; d < g.head_size; d += blockDim.x) o[d] = 0;
  const std::uint32_t last = g.causal ? row % g.queries + g.keys - g.queries : g.keys;
  const std::uint32_t end = min(g.keys, (split + 1) * g.split);
  for (std::uint32_t first = split * g.split; first < end; first += g.tile) {
    const std::uint32_t n = min(g.tile, end - first);
    for (std::uint32_t j = warp; j < n; j += warps) {
      const float s = dot(g, q, k + static_cast<std::size_t>(first + j) * g.head_size);
      if (lane == 0) p[j] = first + j <= last ? __fmul_rn(s, g.c) : -INFINITY;
    }
    __syncthreads();
    float most = m;
    for (std::uint32_t j = lane; j < n; j += 32) most = fmaxf(most, p[j]);
    most = warp_max(most);
    const float below = finite_or_zero(most);
    const float f = exp2f(__fsub_rn(m, below));
    m = most;
    __syncthreads();  // every warp has its maximum
    for (std::uint32_t j = threadIdx.x; j < n; j += blockDim.x)
      p[j] = exp2f(__fsub_rn(p[j], below));
    __syncthreads();
    l = __fmul_rn(l, f);
    for (std::uint32_t j = 0; j < n; ++j) l = __fadd_rn(l, p[j]);
    for (std::uint32_t d = threadIdx.x; d < g.head_size; d += blockDim.x) {
      float out = __fmul_rn(o[d], f);
      for (std::uint32_t j = 0; j < n; ++j)
        out = __fmaf_rn(p[j], widen(v[static_cast<std::size_t>(first + j) * g.head_size + d]), out);
      o[d] = out;
    }
    __syncthreads();  // the weights have been read
  }
  if (threadIdx.x == 0) {
    g.m[blockIdx.x] = m;
    g.l[blockIdx.x] = l;
  }
  for (std::uint32_t d = threadIdx.x; d < g.head_size; d += blockDim.x)
    g.o[static_cast<std::size_t>(blockIdx.x) * g.head_size + d] = o[d];
}

/// One block a query row.
template <class T>
__global__ void combine_splits(const AttentionArgs g, T* y) {
  extern __shared__ float weight[];  // splits
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * g.splits;
  float most = -INFINITY;
  for (std::uint32_t s = 0; s < g.splits; ++s) most = fmaxf(most, g.m[first + s]);
  const float below = finite_or_zero(most);
  for (std::uint32_t s = threadIdx.x; s < g.splits; s += blockDim.x)
    weight[s] = exp2f(__fsub_rn(g.m[first + s], below));
  __syncthreads();
  float sum = 0;
  for (std::uint32_t s = 0; s < g.splits; ++s) sum = __fmaf_rn(weight[s], g.l[first + s], sum);
  for (std::uint32_t d = threadIdx.x; d < g.head_size; d += blockDim.x) {
    float out = 0;
    for (std::uint32_t s = 0; s < g.splits; ++s)
      out = __fmaf_rn(weight[s], g.o[(first + s) * g.head_size + d], out);
    y[static_cast<std::size_t>(blockIdx.x) * g.head_size + d] =
        rounded<T>(sum == 0 ? 0.0f : __fdiv_rn(out, sum));
  }
}

std::uint64_t rows_of(const RecipeRun& run) {
  return run.extent("heads") * run.extent("queries");
}

std::vector<std::uint64_t> borders_of(const RecipeRun& run) {
  return split_attention_borders({run.extent("keys"), run.params.block_k, run.params.splits});
}

}  // namespace

std::uint64_t attention_workspace(const RecipeRun& run) {
  const std::uint64_t splits = borders_of(run).size() - 1;
  return rows_of(run) * splits * (run.extent("head_size") + 2) * sizeof(float);
}

void launch_split_attention(const RecipeLaunch& l) {
  const RecipeRun& run = l.run;
  const auto borders = borders_of(run);
  const auto rows = static_cast<std::uint32_t>(rows_of(run));
  AttentionArgs g{};
  g.queries = size_of(run, "queries");
  g.keys = size_of(run, "keys");
  g.head_size = size_of(run, "head_size");
  g.heads_of_kv = size_of(run, "heads") / size_of(run, "kv_heads");
  g.tile = static_cast<std::uint32_t>(run.params.block_k);
  g.split = static_cast<std::uint32_t>(borders[1]);
  g.splits = static_cast<std::uint32_t>(borders.size() - 1);
  g.vector = static_cast<std::uint32_t>(run.params.vector);
  g.causal = run.params.instruction == "causal";
  g.c = std::bit_cast<float>(static_cast<std::uint32_t>(scale_in_powers_of_two(run.parameter)));
  g.m = static_cast<float*>(l.workspace);
  g.l = g.m + static_cast<std::size_t>(rows) * g.splits;
  g.o = g.l + static_cast<std::size_t>(rows) * g.splits;
  const auto [blocks, threads] = attention_blocks(run);
  with_element_type(run.type, [&]<class T>(T) {
    const auto operand = [&](const char* name) { return static_cast<const T*>(l.tensor<T>(name)); };
    launch("split.attention", attend_split<T>,
           {blocks, threads, (g.head_size + g.tile) * sizeof(float)}, g, operand("q"), operand("k"),
           operand("v"), l.log);
    launch("split.attention, combine", combine_splits<T>, {rows, threads, g.splits * sizeof(float)},
           g, l.tensor<T>("y"));
  });
}

}  // namespace whybits::gpu
