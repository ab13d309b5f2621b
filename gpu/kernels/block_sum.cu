// Row sums by one block of threads, in the orders of CUB, of Triton and of trees in shared memory.
#include <cub/block/block_reduce.cuh>
#include <stdexcept>

#include "gpu/kernels/block_reduce.cuh"
#include "gpu/kernels/dynamic_shared.cuh"
#include "gpu/kernels/sum_args.hpp"

namespace whybits::gpu {
namespace {

/// Vectors t, t + threads, … of a row, folded into one accumulator from +0.
__device__ float fold_own(const SumArgs& g, const float* row) {
  float sum = 0;
  const std::uint32_t stride = blockDim.x * g.vector;
  for (std::uint32_t base = threadIdx.x * g.vector; base < g.k; base += stride)
    for (std::uint32_t i = base; i < min(g.k, base + g.vector); ++i) sum = __fadd_rn(sum, row[i]);
  return sum;
}

/// All lanes have the sum.
__device__ float butterfly(float x) {
  for (std::uint32_t d = 16; d > 0; d /= 2)
    x = __fadd_rn(x, __shfl_xor_sync(every_lane, x, static_cast<int>(d)));
  return x;
}

template <int Threads>
struct CubOrder {
  __device__ static float sum(const SumArgs& g, const float* row) {
    using Reduce = cub::BlockReduce<float, Threads, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
    static __shared__ typename Reduce::TempStorage storage;
    return Reduce(storage).Sum(fold_own(g, row));
  }
};
struct UpOrder {
  __device__ static float sum(const SumArgs& g, const float* row) {
    return fold_totals(warp_up(fold_own(g, row), 32));
  }
};
struct ButterflyOrder {
  __device__ static float sum(const SumArgs& g, const float* row) {
    return halve_totals(butterfly(fold_own(g, row)));
  }
};
/// tl.sum of blocks of block_k, added to a total from +0; masked loads are +0.
struct TritonOrder {
  __device__ static float sum(const SumArgs& g, const float* row) {
    float total = 0;
    for (std::uint32_t base = 0; base < g.k; base += g.block_k) {
      float own = 0;
      bool first = true;
      for (std::uint32_t run = threadIdx.x * g.vector; run < g.block_k;
           run += blockDim.x * g.vector)
        for (std::uint32_t i = base + run; i < base + run + g.vector; ++i) {
          const float x = i < g.k ? row[i] : 0.0f;
          own = first ? x : __fadd_rn(own, x);
          first = false;
        }
      total = __fadd_rn(total, halve_totals(butterfly(own)));
    }
    return total;
  }
};
/// x[t] += x[t + d] for d = threads / 2 … 1.
struct SharedHalvesOrder {
  __device__ static float sum(const SumArgs& g, const float* row) {
    extern __shared__ float cells[];
    cells[threadIdx.x] = fold_own(g, row);
    for (std::uint32_t d = blockDim.x / 2; d > 0; d /= 2) {
      __syncthreads();
      if (threadIdx.x < d)
        cells[threadIdx.x] = __fadd_rn(cells[threadIdx.x], cells[threadIdx.x + d]);
    }
    return cells[0];
  }
};
/// x[t] += x[t + d] for d = 1, 2, … and t a multiple of 2d.
struct SharedPairsOrder {
  __device__ static float sum(const SumArgs& g, const float* row) {
    extern __shared__ float cells[];
    cells[threadIdx.x] = fold_own(g, row);
    for (std::uint32_t d = 1; d < blockDim.x; d *= 2) {
      __syncthreads();
      if (threadIdx.x % (2 * d) == 0 && threadIdx.x + d < blockDim.x)
        cells[threadIdx.x] = __fadd_rn(cells[threadIdx.x], cells[threadIdx.x + d]);
    }
    return cells[0];
  }
};

template <class Order>
__global__ void sum_rows(const SumArgs g) {
  const float sum = Order::sum(g, g.x + static_cast<std::size_t>(blockIdx.x) * g.k);
  if (threadIdx.x == 0) g.out[blockIdx.x] = sum;
}

template <class Order>
void start(const SumPlan& plan) {
  launch("block.sum", sum_rows<Order>,
         {plan.args.rows, 32 * plan.warps, 32 * plan.warps * sizeof(float)}, plan.args);
}

struct Row {
  const char* instruction;
  std::uint32_t warps;  ///< 0: any
  void (*launch)(const SumPlan&);
};
constexpr Row rows[] = {
    {"cub", 4, start<CubOrder<128>>},
    {"cub", 8, start<CubOrder<256>>},
    {"cub", 16, start<CubOrder<512>>},
    {"shuffle_up", 0, start<UpOrder>},
    {"butterfly", 0, start<ButterflyOrder>},
    {"triton", 0, start<TritonOrder>},
    {"shared_halves", 0, start<SharedHalvesOrder>},
    {"shared_pairs", 0, start<SharedPairsOrder>},
};

}  // namespace

void launch_block_sum(const SumPlan& plan) {
  for (const Row& row : rows)
    if (plan.instruction == row.instruction && (row.warps == 0 || row.warps == plan.warps))
      return row.launch(plan);
  throw std::logic_error("block.sum: instruction " + plan.instruction);
}

}  // namespace whybits::gpu
