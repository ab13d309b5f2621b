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
__device__ inline bool completed(std::uint64_t* barrier, std::uint32_t parity) {
  std::uint32_t done = 0;
  asm volatile(
      "{\n.reg .pred p;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
      "selp.u32 %0, 1, 0, p;\n}"
      : "=r"(done)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return done != 0;
}
constexpr long long patience = 1LL << 33;  // cycles, about 5 s: no copy takes that long

/// Until the phase with this parity has completed. A barrier that nobody completes is an error of
/// the kernel and ends it by a store to address 0, instead of hanging the GPU. (A trap would make
/// the compiler wait for running wgmma first.)
__device__ inline void wait(std::uint64_t* barrier, std::uint32_t parity) {
  if (completed(barrier, parity)) return;
  const long long start = clock64();
  while (!completed(barrier, parity))
    if (clock64() - start > patience) asm volatile("st.global.u32 [%0], %1;" ::"l"(0ULL), "r"(0));
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

/// The same; the second-level cache lets the box go first: nobody reads it again.
__device__ inline void copy_box_once(void* to, const CUtensorMap* map, std::uint32_t k,
                                     std::uint32_t row, std::uint64_t* barrier) {
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
      "l"(map), "r"(k), "r"(row), "r"(shared_address(barrier)), "l"(policy)
      : "memory");
}
/// Fetches a map, so that the first copy need not wait for it.
__device__ inline void fetch_map(const CUtensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/// The same box into the same place of every block of the cluster that `blocks` has a bit for, each
/// counted on the barrier of the block that receives it.
__device__ inline void copy_box_to(std::uint16_t blocks, void* to, const CUtensorMap* map,
                                   std::uint32_t k, std::uint32_t row, std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
      "l"(map), "r"(k), "r"(row), "r"(shared_address(barrier)), "h"(blocks)
      : "memory");
}
/// Arrives at the barrier in the same place of block `rank` of the cluster.
__device__ inline void arrive_at(std::uint64_t* barrier, std::uint32_t rank) {
  asm volatile(
      "{\n.reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(shared_address(barrier)),
      "r"(rank)
      : "memory");
}
__device__ inline std::uint32_t cluster_rank() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
/// All threads of the cluster.
__device__ inline void sync_cluster() {
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

/// From the shared memory of block `rank` of the cluster; `address` is that of this block.
__device__ inline float4 load_from(std::uint32_t address, std::uint32_t rank) {
  float4 value;
  asm volatile(
      "{\n.reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %4, %5;\n"
      "ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [there];\n}"
      : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
      : "r"(address), "r"(rank)
      : "memory");
  return value;
}

/// A box from shared memory into a matrix; what lies beyond its borders is left out.
__device__ inline void store_box(const CUtensorMap* map, std::uint32_t column, std::uint32_t row,
                                 const void* from) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n"
      "cp.async.bulk.commit_group;" ::"l"(map),
      "r"(column), "r"(row), "r"(shared_address(from))
      : "memory");
}
/// Until the boxes that this thread stores have been read from shared memory.
__device__ inline void wait_stores_read() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
/// Makes ordinary stores into shared memory visible to the copy engine; before a barrier.
__device__ inline void publish_shared() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
/// Two 8×8 matrices of 16-bit words, transposed: lane i of the first 16 has the address of row
/// i % 8 of matrix i / 8, and register j of a lane the words (lane / 4, 2 · (lane % 4) + 0, 1) of
/// matrix j before the transposition.
__device__ inline void store_transposed(std::uint32_t address, std::uint32_t first,
                                        std::uint32_t second) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(address),
               "r"(first), "r"(second)
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
__device__ inline void commit_wgmma() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Until at most `Left` groups are under way.
template <int Left>
__device__ void wait_wgmma() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
}
/// Accumulators are written behind the compiler's back: keeps their reads where they stand.
template <std::size_t Count>
__device__ void hold(float (&registers)[Count]) {
#pragma unroll
  for (float& value : registers) asm volatile("" : "+f"(value)::"memory");
}
__device__ inline void end_wgmma() {
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
}

}  // namespace whybits::gpu::hopper
