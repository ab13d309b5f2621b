// The combine of a mixture of experts: y = Σ w_e · x_e over a token's experts, one block a token.
//
//   once   terms rounded to f32, fold(f32) over the experts, rounded once to the type
//   chain  terms rounded to the type, fold(type): a rounding after every expert
//
// `warps` is in no order.
#include "gpu/kernels/dynamic_shared.cuh"
#include "gpu/kernels/element_types.cuh"
#include "gpu/kernels/log_blocks.cuh"
#include "gpu/kernels/recipe_launch.hpp"

namespace whybits::gpu {
namespace {

/// What an accumulator of the type holds. The sum of two 16-bit values, rounded to f32 and then to
/// the type, is the sum rounded once: f32 has more than twice their digits.
template <class T, bool Chain>
__device__ float held(float x) {
  if constexpr (Chain) return widen(rounded<T>(x));
  return x;
}

/// x is [token][expert][column], w [token][expert], y [token][column].
template <class T, bool Chain>
__global__ void moe_combine(std::uint32_t experts, std::uint32_t columns, const T* x,
                            const float* w, T* y, LaunchedBlocks* log) {
  log_block(log);
  const std::size_t token = blockIdx.x;
  x += token * experts * columns;
  w += token * experts;
  for (std::uint32_t c = threadIdx.x; c < columns; c += blockDim.x) {
    float sum = 0;
    for (std::uint32_t e = 0; e < experts; ++e) {
      const float value = widen(x[static_cast<std::size_t>(e) * columns + c]);
      const float term = held<T, Chain>(__fmul_rn(w[e], value));
      sum = e == 0 ? term : held<T, Chain>(__fadd_rn(sum, term));
    }
    y[token * columns + c] = rounded<T>(sum);
  }
}

}  // namespace

void launch_moe_combine(const RecipeLaunch& l) {
  with_element_type(l.run.type, [&]<class T>(T) {
    const bool chain = l.run.params.instruction == "chain";
    const auto [blocks, threads] = moe_blocks(l.run);
    launch("moe.combine", chain ? moe_combine<T, true> : moe_combine<T, false>,
           {blocks, threads, 0}, size_of(l.run, "experts"), size_of(l.run, "columns"),
           static_cast<const T*>(l.tensor<T>("x")), static_cast<const float*>(l.tensor<float>("w")),
           l.tensor<T>("y"), l.log);
  });
}

}  // namespace whybits::gpu
