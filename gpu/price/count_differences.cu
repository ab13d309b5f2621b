#include "gpu/cuda_error.cuh"
#include "gpu/price/count_differences.hpp"

namespace whybits::gpu {
namespace {

__global__ void count_kernel(const std::uint16_t* a, const std::uint16_t* b, std::uint64_t count,
                             unsigned long long* differ) {
  unsigned long long mine = 0;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step)
    mine += a[i] != b[i];
  if (mine > 0) atomicAdd(differ, mine);
}

}  // namespace

void count_differences(const std::uint16_t* a, const std::uint16_t* b, std::uint64_t count,
                       unsigned long long* differ, CUstream_st* stream) {
  count_kernel<<<1024, 256, 0, stream>>>(a, b, count, differ);
  check_launch("count_differences");
}

}  // namespace whybits::gpu
