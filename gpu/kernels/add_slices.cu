#include "gpu/cuda_error.cuh"
#include "gpu/kernels/finish.cuh"
#include "gpu/kernels/launch_plan.hpp"

namespace whybits::gpu {
namespace {

__global__ void add_slices(const GemmArgs g, OutputType held, std::uint32_t slices) {
  const std::size_t outputs = static_cast<std::size_t>(g.m) * g.n;
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < outputs;
       i += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    float total = load_fresh(held, g.workspace, i);
    for (std::uint32_t s = 1; s < slices; ++s)
      total = __fadd_rn(total, load_fresh(held, g.workspace, s * outputs + i));
    store_as(g.output, g.out, i, total);
  }
}

}  // namespace

void launch_add_slices(const GemmArgs& args, OutputType held, std::uint32_t slices) {
  add_slices<<<256, 256>>>(args, held, slices);
  check_launch("add_slices");
}

}  // namespace whybits::gpu
