// wgmma: one warpgroup a tile. B, and A where the row says so, go through shared memory.
#pragma once

#include <cstdint>

#include "gpu/instructions/ptx_text.cuh"
#include "gpu/instructions/run_tiles.hpp"

namespace whybits::gpu {

// One instruction takes 32 bytes of k of every operand: two core matrices of 8 rows × 16 bytes.
inline constexpr int wgmma_k_bytes = 32;
inline constexpr int core_bytes = 128;       ///< from one core matrix to the next along k
inline constexpr int row_block_bytes = 256;  ///< from 8 rows to the next 8

/// Matrix descriptor without swizzle (PTX ISA, "Matrix Descriptor Format").
__device__ inline std::uint64_t descriptor(const void* shared) {
  const auto field = [](std::uint64_t bytes) { return (bytes & 0x3ffff) >> 4; };
  return field(__cvta_generic_to_shared(shared)) | field(core_bytes) << 16 |
         field(row_block_bytes) << 32;
}

/// Rows of 32 bytes, one behind another, to core matrices.
__device__ inline void to_core_matrices(const std::uint32_t* rows, int count,
                                        std::uint32_t* shared) {
  constexpr int words = wgmma_k_bytes / 4;
  for (int i = static_cast<int>(threadIdx.x); i < count * words;
       i += static_cast<int>(blockDim.x)) {
    const int row = i / words;
    const int word = i % words;
    shared[row / 8 * (row_block_bytes / 4) + word / 4 * (core_bytes / 4) + row % 8 * 4 + word % 4] =
        rows[i];
  }
}

template <int Row>
__device__ void wgmma(std::uint64_t a, std::uint64_t b, int with_c, float (&d)[4]) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %6, 0;\nwgmma.fence.sync.aligned;\n"
      "%7 {%0,%1,%2,%3}, %4, %5, p, %8;\n"
      "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(a), "l"(b), "r"(with_c), "C"(Opcode<Row>::value), "C"(Immediates<Row>::value)
      : "memory");
}
template <int Row>
__device__ void wgmma(std::uint64_t a, std::uint64_t b, int with_c, std::uint32_t (&d)[2]) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\nwgmma.fence.sync.aligned;\n"
      "%5 {%0,%1}, %2, %3, p, %6;\n"
      "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"
      : "+r"(d[0]), "+r"(d[1])
      : "l"(a), "l"(b), "r"(with_c), "C"(Opcode<Row>::value), "C"(Immediates<Row>::value)
      : "memory");
}
template <int Row>
__device__ void wgmma(const std::uint32_t (&a)[4], std::uint64_t b, int with_c, float (&d)[4]) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %9, 0;\nwgmma.fence.sync.aligned;\n"
      "%10 {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, p, %11;\n"
      "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(with_c), "C"(Opcode<Row>::value),
        "C"(Immediates<Row>::value)
      : "memory");
}
template <int Row>
__device__ void wgmma(const std::uint32_t (&a)[4], std::uint64_t b, int with_c,
                      std::uint32_t (&d)[2]) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %7, 0;\nwgmma.fence.sync.aligned;\n"
      "%8 {%0,%1}, {%2,%3,%4,%5}, %6, p, %9;\n"
      "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"
      : "+r"(d[0]), "+r"(d[1])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(with_c), "C"(Opcode<Row>::value),
        "C"(Immediates<Row>::value)
      : "memory");
}
/// n = 64.
template <int Row>
__device__ void wgmma(std::uint64_t a, std::uint64_t b, int with_c, float (&d)[32]) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\nwgmma.fence.sync.aligned;\n"
      "%35 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
      "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, p, %36;\n"
      "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
        "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
        "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b), "r"(with_c), "C"(Opcode<Row>::value), "C"(Immediates<Row>::value)
      : "memory");
}

/// Registers of D for each lane, and what else the kernel must know of its row.
template <int Row>
struct WgmmaShape {
  static constexpr MatrixInstruction row = instruction_table[Row];
  static_assert(row.m == 64 && row.k * word_bytes(row.a) == wgmma_k_bytes);
  static constexpr bool a_shared = row.a_source == ASource::shared;
  static constexpr int n = row.n;
  static constexpr int across = row.d == "f16" ? 1 : 2;  ///< a row and 8 columns
  static constexpr int d = n / 8 * 2 * across;
};

template <class Accumulator, int Row>
__global__ void __launch_bounds__(128)
    wgmma_tiles(const std::uint32_t* a, const std::uint32_t* b, const Accumulator* c,
                Accumulator* d, std::uint64_t tiles, int with_c) {
  using Shape = WgmmaShape<Row>;
  constexpr int words = wgmma_k_bytes / 4;
  constexpr int across = Shape::across;
  constexpr int registers = Shape::d;
  alignas(128) __shared__ std::uint32_t shared_a[64 * words];
  alignas(128) __shared__ std::uint32_t shared_b[Shape::n * words];
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int g = lane / 4;
  const int t = lane % 4;
  const int first_row = static_cast<int>(threadIdx.x / 32) * 16;
  const auto place = [&](int r) {
    const int in_block = r % (2 * across);
    return (first_row + g + 8 * (in_block / across)) * (Shape::n / 8 * 4 * across) +
           r / (2 * across) * 4 * across + t * across + in_block % across;
  };
  for (std::uint64_t i = blockIdx.x; i < tiles; i += gridDim.x) {
    const std::uint32_t* tile_a = a + i * 64 * words;
    if constexpr (Shape::a_shared) to_core_matrices(tile_a, 64, shared_a);
    to_core_matrices(b + i * Shape::n * words, Shape::n, shared_b);
    // Ordinary stores, read next by the matrix unit.
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const std::uint64_t offset = i * 128 * registers;
    Accumulator acc[registers];
#pragma unroll
    for (int r = 0; r < registers; ++r) acc[r] = c[offset + place(r)];
    if constexpr (Shape::a_shared) {
      wgmma<Row>(descriptor(shared_a), descriptor(shared_b), with_c, acc);
    } else {
      std::uint32_t a_words[4];
#pragma unroll
      for (int r = 0; r < 4; ++r)
        a_words[r] = tile_a[(first_row + g + 8 * (r % 2)) * words + t + 4 * (r / 2)];
      wgmma<Row>(a_words, descriptor(shared_b), with_c, acc);
    }
#pragma unroll
    for (int r = 0; r < registers; ++r) d[offset + place(r)] = acc[r];
    __syncthreads();
  }
}

}  // namespace whybits::gpu
