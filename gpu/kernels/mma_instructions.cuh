// mma.sync forms with the operand layout that they share: a warp's lane holds, of every row of A
// and column of B, the register-wide piece `lane % 4` of each chunk of four pieces along k.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

namespace whybits::gpu {

/// One instruction of 16×8 outputs. `Register` is a piece: four bytes of k, or one double.
template <class RegisterType, class AccumulatorType, int Chunks, int Size>
struct MmaShape {
  using Register = RegisterType;
  using Accumulator = AccumulatorType;   ///< of one output, or two f16 in a register
  static constexpr int chunks = Chunks;  ///< registers of B; A has two of each
  static constexpr int element_bytes = Size;
  static constexpr int step_bytes = Chunks * 4 * static_cast<int>(sizeof(RegisterType));
  static constexpr int k = step_bytes / Size;
  /// Registers of a lane: two f16 share one.
  static constexpr int accumulators = std::is_same_v<AccumulatorType, std::uint32_t> ? 2 : 4;
};

// An instruction is a string of its own in inline assembly, so that these are macros: a template
// cannot make one.
#define WHYBITS_MMA_F32_1(NAME, SIZE, FORM)                                                 \
  struct NAME : MmaShape<std::uint32_t, float, 1, SIZE> {                                   \
    static __device__ void step(float* d, const std::uint32_t* a, const std::uint32_t* b) { \
      asm volatile("mma.sync.aligned." FORM " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" \
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                         \
                   : "r"(a[0]), "r"(a[1]), "r"(b[0]));                                      \
    }                                                                                       \
  }
#define WHYBITS_MMA_F32_2(NAME, SIZE, FORM)                                                 \
  struct NAME : MmaShape<std::uint32_t, float, 2, SIZE> {                                   \
    static __device__ void step(float* d, const std::uint32_t* a, const std::uint32_t* b) { \
      asm volatile("mma.sync.aligned." FORM                                                 \
                   " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                 \
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                         \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));     \
    }                                                                                       \
  }
#define WHYBITS_MMA_F16_1(NAME, SIZE, FORM)                                     \
  struct NAME : MmaShape<std::uint32_t, std::uint32_t, 1, SIZE> {               \
    static __device__ void step(std::uint32_t* d, const std::uint32_t* a,       \
                                const std::uint32_t* b) {                       \
      asm volatile("mma.sync.aligned." FORM " {%0,%1}, {%2,%3}, {%4}, {%0,%1};" \
                   : "+r"(d[0]), "+r"(d[1])                                     \
                   : "r"(a[0]), "r"(a[1]), "r"(b[0]));                          \
    }                                                                           \
  }
#define WHYBITS_MMA_F16_2(NAME, SIZE, FORM)                                              \
  struct NAME : MmaShape<std::uint32_t, std::uint32_t, 2, SIZE> {                        \
    static __device__ void step(std::uint32_t* d, const std::uint32_t* a,                \
                                const std::uint32_t* b) {                                \
      asm volatile("mma.sync.aligned." FORM " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};" \
                   : "+r"(d[0]), "+r"(d[1])                                              \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));  \
    }                                                                                    \
  }

WHYBITS_MMA_F32_1(MmaF16K8, 2, "m16n8k8.row.col.f32.f16.f16.f32");
WHYBITS_MMA_F32_2(MmaF16, 2, "m16n8k16.row.col.f32.f16.f16.f32");
WHYBITS_MMA_F16_1(MmaF16K8Acc16, 2, "m16n8k8.row.col.f16.f16.f16.f16");
WHYBITS_MMA_F16_2(MmaF16Acc16, 2, "m16n8k16.row.col.f16.f16.f16.f16");
WHYBITS_MMA_F32_1(MmaBf16K8, 2, "m16n8k8.row.col.f32.bf16.bf16.f32");
WHYBITS_MMA_F32_2(MmaBf16, 2, "m16n8k16.row.col.f32.bf16.bf16.f32");
WHYBITS_MMA_F32_1(MmaTf32K4, 4, "m16n8k4.row.col.f32.tf32.tf32.f32");
WHYBITS_MMA_F32_2(MmaTf32, 4, "m16n8k8.row.col.f32.tf32.tf32.f32");
WHYBITS_MMA_F32_1(MmaE4m3K16, 1, "m16n8k16.row.col.f32.e4m3.e4m3.f32");
WHYBITS_MMA_F32_2(MmaE4m3, 1, "m16n8k32.row.col.f32.e4m3.e4m3.f32");
WHYBITS_MMA_F32_2(MmaE4m3E5m2, 1, "m16n8k32.row.col.f32.e4m3.e5m2.f32");
WHYBITS_MMA_F32_2(MmaE5m2E4m3, 1, "m16n8k32.row.col.f32.e5m2.e4m3.f32");
WHYBITS_MMA_F32_1(MmaE5m2K16, 1, "m16n8k16.row.col.f32.e5m2.e5m2.f32");
WHYBITS_MMA_F32_2(MmaE5m2, 1, "m16n8k32.row.col.f32.e5m2.e5m2.f32");
WHYBITS_MMA_F16_1(MmaE4m3K16Acc16, 1, "m16n8k16.row.col.f16.e4m3.e4m3.f16");
WHYBITS_MMA_F16_2(MmaE4m3Acc16, 1, "m16n8k32.row.col.f16.e4m3.e4m3.f16");
WHYBITS_MMA_F16_1(MmaE5m2K16Acc16, 1, "m16n8k16.row.col.f16.e5m2.e5m2.f16");
WHYBITS_MMA_F16_2(MmaE5m2Acc16, 1, "m16n8k32.row.col.f16.e5m2.e5m2.f16");

#undef WHYBITS_MMA_F32_1
#undef WHYBITS_MMA_F32_2
#undef WHYBITS_MMA_F16_1
#undef WHYBITS_MMA_F16_2

/// f64, compute capability 9.0: one instruction for 4, 8 or 16 products.
struct MmaF64K4 : MmaShape<double, double, 1, 8> {
  static __device__ void step(double* d, const double* a, const double* b) {
    asm volatile(
        "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
        "{%0,%1,%2,%3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(b[0]));
  }
};
struct MmaF64K8 : MmaShape<double, double, 2, 8> {
  static __device__ void step(double* d, const double* a, const double* b) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
  }
};
struct MmaF64 : MmaShape<double, double, 4, 8> {
  static __device__ void step(double* d, const double* a, const double* b) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
        "{%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
          "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
  }
};

/// Output r (0 … 3) of a lane: row lane / 4 (+ 8 for r ≥ 2), column 2 · (lane % 4) + r % 2.
__device__ inline float accumulator(const float* d, int r) {
  return d[r];
}
__device__ inline double accumulator(const double* d, int r) {
  return d[r];
}
__device__ inline __half accumulator(const std::uint32_t* d, int r) {
  const std::uint32_t word = d[r / 2];
  return __ushort_as_half(static_cast<unsigned short>(r % 2 == 0 ? word & 0xffff : word >> 16));
}

}  // namespace whybits::gpu
