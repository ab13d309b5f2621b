// The instructions of compute capability 9.0 that wgmma.gemm is made of: barriers in shared memory,
// bulk tensor copies and what orders them.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace whybits::gpu::hopper {

__device__ inline std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

__device__ inline void init_barrier(std::uint64_t* barrier, std::uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals));
}
/// Makes the barriers visible to the copy engine.
__device__ inline void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ inline void arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}
__device__ inline void arrive_expecting(std::uint64_t* barrier, std::uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}
/// Until the phase with this parity has completed.
__device__ inline void wait(std::uint64_t* barrier, std::uint32_t parity) {
  std::uint32_t done = 0;
  while (done == 0)
    asm volatile(
        "{\n.reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
}

/// A box of a matrix, zeros beyond its borders, into shared memory; counted on the barrier.
__device__ inline void copy_box(void* to, const CUtensorMap* map, std::uint32_t k,
                                std::uint32_t row, std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3}], [%4];" ::"r"(shared_address(to)),
      "l"(map), "r"(k), "r"(row), "r"(shared_address(barrier))
      : "memory");
}

/// Where a wgmma finds an operand: rows of `swizzle` bytes (32, 64 or 128), eight of them a group.
__device__ inline std::uint64_t matrix_descriptor(const void* p, std::uint32_t swizzle) {
  const std::uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : 3;
  const std::uint64_t group_bytes = 8 * swizzle;
  return ((shared_address(p) & 0x3ffff) >> 4) | std::uint64_t{1} << 16 | (group_bytes >> 4) << 32 |
         mode << 62;
}

__device__ inline void begin_wgmma() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void end_wgmma() {
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
}

}  // namespace whybits::gpu::hopper
