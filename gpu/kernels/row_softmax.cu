// softmax of a row, y = exp(x − max) / Σ exp(x − max), one block a row.
//
//   e  expf(x − max), in f32
//   Σ  lanes(threads, by=vector, fold(f32, from=0), slices(32, …, …)): block_reduce.cuh
//   y  e / Σ by an IEEE division, rounded once to the type
//
// A row with a NaN or +infinity, or of −infinities alone, gives NaN.
#include "gpu/kernels/block_reduce.cuh"
#include "gpu/kernels/dynamic_shared.cuh"
#include "gpu/kernels/element_types.cuh"
#include "gpu/kernels/log_blocks.cuh"
#include "gpu/kernels/own_elements.cuh"
#include "gpu/kernels/recipe_launch.hpp"

namespace whybits::gpu {
namespace {

template <class T, LaneOrder Order>
__global__ void row_softmax(const RowBlock block, const T* x, T* y, LaunchedBlocks* log) {
  log_block(log);
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * block.columns;
  x += row;
  y += row;
  float most = -INFINITY;
  block.each_own([&](std::uint32_t i) { most = fmaxf(most, widen(x[i])); });
  most = block_max(most);

  float own = 0;
  block.each_own(
      [&](std::uint32_t i) { own = __fadd_rn(own, expf(__fsub_rn(widen(x[i]), most))); });
  const float sum = block_sum<Order>(own, block.threads);

  block.each_own([&](std::uint32_t i) {
    y[i] = rounded<T>(__fdiv_rn(expf(__fsub_rn(widen(x[i]), most)), sum));
  });
}

}  // namespace

void launch_row_softmax(const RecipeLaunch& l) {
  with_element_type(l.run.type, [&]<class T>(T) {
    const bool up = l.run.params.instruction == "up";
    const auto [blocks, threads] = row_blocks(l.run);
    launch("row.softmax", up ? row_softmax<T, LaneOrder::up> : row_softmax<T, LaneOrder::down>,
           {blocks, threads, 0}, row_block(l.run), static_cast<const T*>(l.tensor<T>("x")),
           l.tensor<T>("y"), l.log);
  });
}

}  // namespace whybits::gpu
