// mma.sync: one warp a tile, fragments read straight from memory.
#pragma once

#include <cstdint>

#include "gpu/instructions/ptx_text.cuh"
#include "gpu/instructions/run_tiles.hpp"

namespace whybits::gpu {

/// How many registers a lane has of each operand; a register is a word along k of A and B, and of C
/// a number (f32, f64) or a pair (f16).
template <int Row>
struct MmaShape {
  static constexpr MatrixInstruction row = instruction_table[Row];
  static constexpr bool f64 = row.a == "f64";
  static constexpr bool f16_d = row.d == "f16";
  static constexpr int words_of_k = row.k * word_bytes(row.a) / (f64 ? 8 : 4);
  static constexpr int a = row.m / 8 * words_of_k / 4;
  static constexpr int b = words_of_k / 4;
  static constexpr int c = row.m / 8 * (f16_d ? 1 : 2);
};

template <int Row>
__device__ void mma(const std::uint32_t (&a)[2], const std::uint32_t (&b)[1], float (&c)[4]) {
  asm volatile("%7 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "C"(Opcode<Row>::value));
}
template <int Row>
__device__ void mma(const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], float (&c)[4]) {
  asm volatile("%10 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]),
                 "C"(Opcode<Row>::value));
}
template <int Row>
__device__ void mma(const std::uint32_t (&a)[2], const std::uint32_t (&b)[1],
                    std::uint32_t (&c)[2]) {
  asm volatile("%5 {%0,%1}, {%2,%3}, {%4}, {%0,%1};"
               : "+r"(c[0]), "+r"(c[1])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "C"(Opcode<Row>::value));
}
template <int Row>
__device__ void mma(const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                    std::uint32_t (&c)[2]) {
  asm volatile("%8 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
               : "+r"(c[0]), "+r"(c[1])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]),
                 "C"(Opcode<Row>::value));
}
template <int Row>
__device__ void mma(const double (&a)[1], const double (&b)[1], double (&c)[2]) {
  asm volatile("%4 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(c[0]), "+d"(c[1])
               : "d"(a[0]), "d"(b[0]), "C"(Opcode<Row>::value));
}
template <int Row>
__device__ void mma(const double (&a)[2], const double (&b)[1], double (&c)[4]) {
  asm volatile("%7 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
               : "d"(a[0]), "d"(a[1]), "d"(b[0]), "C"(Opcode<Row>::value));
}
template <int Row>
__device__ void mma(const double (&a)[4], const double (&b)[2], double (&c)[4]) {
  asm volatile("%10 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
               : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]),
                 "C"(Opcode<Row>::value));
}
template <int Row>
__device__ void mma(const double (&a)[8], const double (&b)[4], double (&c)[4]) {
  asm volatile("%16 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
               : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
               : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]),
                 "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]), "C"(Opcode<Row>::value));
}

template <class Word, class Accumulator, int Row>
__device__ void mma_one_tile(const Word* a, const Word* b, const Accumulator* c, Accumulator* d) {
  using Shape = MmaShape<Row>;
  constexpr int words = Shape::words_of_k;
  constexpr int row_blocks = Shape::row.m / 8;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int g = lane / 4;
  const int t = lane % 4;
  Word a_words[Shape::a];
  Word b_words[Shape::b];
  Accumulator acc[Shape::c];
#pragma unroll
  for (int r = 0; r < Shape::a; ++r)
    a_words[r] = a[(g + 8 * (r % row_blocks)) * words + t + 4 * (r / row_blocks)];
#pragma unroll
  for (int r = 0; r < Shape::b; ++r) b_words[r] = b[g * words + t + 4 * r];
  constexpr int across = Shape::c / row_blocks;  // registers of C in one row: two, or one pair
  const auto place = [&](int r) {
    return (g + 8 * (r / across)) * 4 * across + t * across + r % across;
  };
#pragma unroll
  for (int r = 0; r < Shape::c; ++r) acc[r] = c[place(r)];
  mma<Row>(a_words, b_words, acc);
#pragma unroll
  for (int r = 0; r < Shape::c; ++r) d[place(r)] = acc[r];
}

template <class Word, class Accumulator, int Row>
__global__ void mma_tiles(const Word* a, const Word* b, const Accumulator* c, Accumulator* d,
                          std::uint64_t tiles) {
  using Shape = MmaShape<Row>;
  constexpr int a_size = Shape::row.m * Shape::words_of_k;
  constexpr int b_size = Shape::row.n * Shape::words_of_k;
  constexpr int c_size = 32 * Shape::c;
  const std::uint64_t warps = std::uint64_t{gridDim.x} * blockDim.x / 32;
  for (std::uint64_t i = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32; i < tiles;
       i += warps)
    mma_one_tile<Word, Accumulator, Row>(a + i * a_size, b + i * b_size, c + i * c_size,
                                         d + i * c_size);
}

}  // namespace whybits::gpu
