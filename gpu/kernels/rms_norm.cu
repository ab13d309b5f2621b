// RMSNorm, y = x · 1/√(Σx²/h + ε) · w, one block a row, and the same of x + residual.
//
//   Σx²    lanes(threads, by=vector, fold(f32.fma, from=0), slices(32, …, …)): block_reduce.cuh
//   scale  rsqrtf(Σ/h + ε): an IEEE division, an IEEE addition, the special-function unit
//   y      (x · scale) · w in f32, rounded once
//   z      x + residual rounded to the type; the norm is of the rounded sum
#include <bit>

#include "gpu/kernels/block_reduce.cuh"
#include "gpu/kernels/dynamic_shared.cuh"
#include "gpu/kernels/element_types.cuh"
#include "gpu/kernels/log_blocks.cuh"
#include "gpu/kernels/own_elements.cuh"
#include "gpu/kernels/recipe_launch.hpp"

namespace whybits::gpu {
namespace {

template <class T>
struct NormArgs {
  RowBlock block;
  float eps;
  const T *x, *residual, *w;  // residual, z: null without one
  T *y, *z;
  LaunchedBlocks* log;
};

template <class T, LaneOrder Order>
__global__ void rms_norm(const NormArgs<T> g) {
  log_block(g.log);
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * g.block.columns;
  const T* x = g.x + row;
  float own = 0;
  g.block.each_own([&](std::uint32_t i) {
    float value = widen(x[i]);
    if (g.residual != nullptr) {
      g.z[row + i] = rounded<T>(__fadd_rn(value, widen(g.residual[row + i])));
      value = widen(g.z[row + i]);
    }
    own = __fmaf_rn(value, value, own);
  });
  const float squares = block_sum<Order>(own, g.block.threads);
  const float mean = __fdiv_rn(squares, static_cast<float>(g.block.columns));
  const float scale = rsqrtf(__fadd_rn(mean, g.eps));

  const T* normed = g.residual != nullptr ? g.z + row : x;
  g.block.each_own([&](std::uint32_t i) {
    g.y[row + i] = rounded<T>(__fmul_rn(__fmul_rn(widen(normed[i]), scale), widen(g.w[i])));
  });
}

void launch_norm(const RecipeLaunch& l, bool add) {
  with_element_type(l.run.type, [&]<class T>(T) {
    const NormArgs<T> args{row_block(l.run),
                           std::bit_cast<float>(static_cast<std::uint32_t>(l.run.parameter)),
                           l.tensor<T>("x"),
                           add ? l.tensor<T>("residual") : nullptr,
                           l.tensor<T>("w"),
                           l.tensor<T>("y"),
                           add ? l.tensor<T>("z") : nullptr,
                           l.log};
    const bool up = l.run.params.instruction == "up";
    const auto [blocks, threads] = row_blocks(l.run);
    launch("rms.norm", up ? rms_norm<T, LaneOrder::up> : rms_norm<T, LaneOrder::down>,
           {blocks, threads, 0}, args);
  });
}

}  // namespace

void launch_rms_norm(const RecipeLaunch& launch) {
  launch_norm(launch, false);
}
void launch_add_rms_norm(const RecipeLaunch& launch) {
  launch_norm(launch, true);
}

}  // namespace whybits::gpu
