// wgmma forms: 64 × N outputs a warpgroup, both operands from shared memory with k contiguous.
//
// A lane holds N / 2 accumulators: number r is row 16 · warp + lane / 4 + 8 · (r / 2 % 2), column
// 8 · (r / 4) + 2 · (lane % 4) + r % 2. An instruction is a string of its own in inline assembly
// and names every register, so that these are macros: a template cannot make one.
#pragma once

#include <cstdint>

namespace whybits::gpu {

/// Operand types: `form` is how PTX writes them.
template <int Bytes>
struct WgmmaOperands {
  static constexpr int element_bytes = Bytes;
  static constexpr int k = 32 / Bytes;
};
struct WgmmaF16 : WgmmaOperands<2> {};
struct WgmmaBf16 : WgmmaOperands<2> {};
struct WgmmaTf32 : WgmmaOperands<4> {};
struct WgmmaE4m3 : WgmmaOperands<1> {};
struct WgmmaE4m3E5m2 : WgmmaOperands<1> {};
struct WgmmaE5m2E4m3 : WgmmaOperands<1> {};
struct WgmmaE5m2 : WgmmaOperands<1> {};

/// d += a · b over one k step.
template <class Operands, int N>
struct Wgmma;

#define WHYBITS_WGMMA_8(OPERANDS, TYPES, TAIL)                                     \
  template <>                                                                      \
  struct Wgmma<OPERANDS, 8> {                                                      \
    static __device__ void step(float (&d)[4], std::uint64_t a, std::uint64_t b) { \
      asm volatile("wgmma.mma_async.sync.aligned.m64n8" TYPES                      \
                   " {"                                                            \
                   "%0, %1, %2, %3"                                                \
                   "}, %4, %5, 1, 1, 1" TAIL ";"                                   \
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                \
                   : "l"(a), "l"(b));                                              \
    }                                                                              \
  }

#define WHYBITS_WGMMA_16(OPERANDS, TYPES, TAIL)                                              \
  template <>                                                                                \
  struct Wgmma<OPERANDS, 16> {                                                               \
    static __device__ void step(float (&d)[8], std::uint64_t a, std::uint64_t b) {           \
      asm volatile("wgmma.mma_async.sync.aligned.m64n16" TYPES                               \
                   " {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, 1, 1, 1" TAIL ";"             \
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), \
                     "+f"(d[6]), "+f"(d[7])                                                  \
                   : "l"(a), "l"(b));                                                        \
    }                                                                                        \
  }

#define WHYBITS_WGMMA_32(OPERANDS, TYPES, TAIL)                                                \
  template <>                                                                                  \
  struct Wgmma<OPERANDS, 32> {                                                                 \
    static __device__ void step(float (&d)[16], std::uint64_t a, std::uint64_t b) {            \
      asm volatile("wgmma.mma_async.sync.aligned.m64n32" TYPES                                 \
                   " {"                                                                        \
                   "%0, %1, %2, %3, %4, %5, %6, %7, "                                          \
                   "%8, %9, %10, %11, %12, %13, %14, %15"                                      \
                   "}, %16, %17, 1, 1, 1" TAIL ";"                                             \
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),   \
                     "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), \
                     "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])                        \
                   : "l"(a), "l"(b));                                                          \
    }                                                                                          \
  }

#define WHYBITS_WGMMA_64(OPERANDS, TYPES, TAIL)                                                    \
  template <>                                                                                      \
  struct Wgmma<OPERANDS, 64> {                                                                     \
    static __device__ void step(float (&d)[32], std::uint64_t a, std::uint64_t b) {                \
      asm volatile("wgmma.mma_async.sync.aligned.m64n64" TYPES                                     \
                   " {"                                                                            \
                   "%0, %1, %2, %3, %4, %5, %6, %7, "                                              \
                   "%8, %9, %10, %11, %12, %13, %14, %15, "                                        \
                   "%16, %17, %18, %19, %20, %21, %22, %23, "                                      \
                   "%24, %25, %26, %27, %28, %29, %30, %31"                                        \
                   "}, %32, %33, 1, 1, 1" TAIL ";"                                                 \
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),       \
                     "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),     \
                     "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), \
                     "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), \
                     "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), \
                     "+f"(d[30]), "+f"(d[31])                                                      \
                   : "l"(a), "l"(b));                                                              \
    }                                                                                              \
  }

#define WHYBITS_WGMMA_128(OPERANDS, TYPES, TAIL)                                                   \
  template <>                                                                                      \
  struct Wgmma<OPERANDS, 128> {                                                                    \
    static __device__ void step(float (&d)[64], std::uint64_t a, std::uint64_t b) {                \
      asm volatile("wgmma.mma_async.sync.aligned.m64n128" TYPES                                    \
                   " {"                                                                            \
                   "%0, %1, %2, %3, %4, %5, %6, %7, "                                              \
                   "%8, %9, %10, %11, %12, %13, %14, %15, "                                        \
                   "%16, %17, %18, %19, %20, %21, %22, %23, "                                      \
                   "%24, %25, %26, %27, %28, %29, %30, %31, "                                      \
                   "%32, %33, %34, %35, %36, %37, %38, %39, "                                      \
                   "%40, %41, %42, %43, %44, %45, %46, %47, "                                      \
                   "%48, %49, %50, %51, %52, %53, %54, %55, "                                      \
                   "%56, %57, %58, %59, %60, %61, %62, %63"                                        \
                   "}, %64, %65, 1, 1, 1" TAIL ";"                                                 \
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),       \
                     "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),     \
                     "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), \
                     "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), \
                     "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), \
                     "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), \
                     "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), \
                     "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), \
                     "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), \
                     "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), \
                     "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])                            \
                   : "l"(a), "l"(b));                                                              \
    }                                                                                              \
  }

#define WHYBITS_WGMMA_192(OPERANDS, TYPES, TAIL)                                                   \
  template <>                                                                                      \
  struct Wgmma<OPERANDS, 192> {                                                                    \
    static __device__ void step(float (&d)[96], std::uint64_t a, std::uint64_t b) {                \
      asm volatile("wgmma.mma_async.sync.aligned.m64n192" TYPES                                    \
                   " {"                                                                            \
                   "%0, %1, %2, %3, %4, %5, %6, %7, "                                              \
                   "%8, %9, %10, %11, %12, %13, %14, %15, "                                        \
                   "%16, %17, %18, %19, %20, %21, %22, %23, "                                      \
                   "%24, %25, %26, %27, %28, %29, %30, %31, "                                      \
                   "%32, %33, %34, %35, %36, %37, %38, %39, "                                      \
                   "%40, %41, %42, %43, %44, %45, %46, %47, "                                      \
                   "%48, %49, %50, %51, %52, %53, %54, %55, "                                      \
                   "%56, %57, %58, %59, %60, %61, %62, %63, "                                      \
                   "%64, %65, %66, %67, %68, %69, %70, %71, "                                      \
                   "%72, %73, %74, %75, %76, %77, %78, %79, "                                      \
                   "%80, %81, %82, %83, %84, %85, %86, %87, "                                      \
                   "%88, %89, %90, %91, %92, %93, %94, %95"                                        \
                   "}, %96, %97, 1, 1, 1" TAIL ";"                                                 \
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),       \
                     "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),     \
                     "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), \
                     "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), \
                     "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), \
                     "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), \
                     "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), \
                     "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), \
                     "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), \
                     "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), \
                     "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]), "+f"(d[65]), \
                     "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]), \
                     "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), \
                     "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), \
                     "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]), \
                     "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95])  \
                   : "l"(a), "l"(b));                                                              \
    }                                                                                              \
  }

#define WHYBITS_WGMMA_256(OPERANDS, TYPES, TAIL)                                                   \
  template <>                                                                                      \
  struct Wgmma<OPERANDS, 256> {                                                                    \
    static __device__ void step(float (&d)[128], std::uint64_t a, std::uint64_t b) {               \
      asm volatile("wgmma.mma_async.sync.aligned.m64n256" TYPES                                    \
                   " {"                                                                            \
                   "%0, %1, %2, %3, %4, %5, %6, %7, "                                              \
                   "%8, %9, %10, %11, %12, %13, %14, %15, "                                        \
                   "%16, %17, %18, %19, %20, %21, %22, %23, "                                      \
                   "%24, %25, %26, %27, %28, %29, %30, %31, "                                      \
                   "%32, %33, %34, %35, %36, %37, %38, %39, "                                      \
                   "%40, %41, %42, %43, %44, %45, %46, %47, "                                      \
                   "%48, %49, %50, %51, %52, %53, %54, %55, "                                      \
                   "%56, %57, %58, %59, %60, %61, %62, %63, "                                      \
                   "%64, %65, %66, %67, %68, %69, %70, %71, "                                      \
                   "%72, %73, %74, %75, %76, %77, %78, %79, "                                      \
                   "%80, %81, %82, %83, %84, %85, %86, %87, "                                      \
                   "%88, %89, %90, %91, %92, %93, %94, %95, "                                      \
                   "%96, %97, %98, %99, %100, %101, %102, %103, "                                  \
                   "%104, %105, %106, %107, %108, %109, %110, %111, "                              \
                   "%112, %113, %114, %115, %116, %117, %118, %119, "                              \
                   "%120, %121, %122, %123, %124, %125, %126, %127"                                \
                   "}, %128, %129, 1, 1, 1" TAIL ";"                                               \
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),       \
                     "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),     \
                     "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), \
                     "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), \
                     "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), \
                     "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), \
                     "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), \
                     "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), \
                     "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), \
                     "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), \
                     "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]), "+f"(d[64]), "+f"(d[65]), \
                     "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]), \
                     "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), \
                     "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), \
                     "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]), \
                     "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), \
                     "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]),             \
                     "+f"(d[101]), "+f"(d[102]), "+f"(d[103]), "+f"(d[104]), "+f"(d[105]),         \
                     "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]),         \
                     "+f"(d[111]), "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]),         \
                     "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), "+f"(d[120]),         \
                     "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]),         \
                     "+f"(d[126]), "+f"(d[127])                                                    \
                   : "l"(a), "l"(b));                                                              \
    }                                                                                              \
  }

// Operands of 16 bits may be transposed: the two last immediates; here they are not.
#define WHYBITS_WGMMA(N)                                       \
  WHYBITS_WGMMA_##N(WgmmaF16, "k16.f32.f16.f16", ", 0, 0");    \
  WHYBITS_WGMMA_##N(WgmmaBf16, "k16.f32.bf16.bf16", ", 0, 0"); \
  WHYBITS_WGMMA_##N(WgmmaTf32, "k8.f32.tf32.tf32", "");        \
  WHYBITS_WGMMA_##N(WgmmaE4m3, "k32.f32.e4m3.e4m3", "");       \
  WHYBITS_WGMMA_##N(WgmmaE4m3E5m2, "k32.f32.e4m3.e5m2", "");   \
  WHYBITS_WGMMA_##N(WgmmaE5m2E4m3, "k32.f32.e5m2.e4m3", "");   \
  WHYBITS_WGMMA_##N(WgmmaE5m2, "k32.f32.e5m2.e5m2", "")

WHYBITS_WGMMA(8);
WHYBITS_WGMMA(32);
WHYBITS_WGMMA(64);
WHYBITS_WGMMA(128);
WHYBITS_WGMMA(256);
WHYBITS_WGMMA_16(WgmmaBf16, "k16.f32.bf16.bf16", ", 0, 0");
WHYBITS_WGMMA_192(WgmmaBf16, "k16.f32.bf16.bf16", ", 0, 0");

#undef WHYBITS_WGMMA
#undef WHYBITS_WGMMA_8
#undef WHYBITS_WGMMA_16
#undef WHYBITS_WGMMA_32
#undef WHYBITS_WGMMA_64
#undef WHYBITS_WGMMA_128
#undef WHYBITS_WGMMA_192
#undef WHYBITS_WGMMA_256

}  // namespace whybits::gpu
