// CUDA's functions of f32, as the compiler builds them in the mode of the file that includes this.
#pragma once

#include "gpu/special/sweep.cuh"

namespace whybits::gpu::special {
namespace {

struct Expf {
  static constexpr const char* name = "expf";
  __device__ static float of(float x) { return expf(x); }
};
struct Exp2f {
  static constexpr const char* name = "exp2f";
  __device__ static float of(float x) { return exp2f(x); }
};
struct Exp10f {
  static constexpr const char* name = "exp10f";
  __device__ static float of(float x) { return exp10f(x); }
};
struct Expm1f {
  static constexpr const char* name = "expm1f";
  __device__ static float of(float x) { return expm1f(x); }
};
struct Logf {
  static constexpr const char* name = "logf";
  __device__ static float of(float x) { return logf(x); }
};
struct Log2f {
  static constexpr const char* name = "log2f";
  __device__ static float of(float x) { return log2f(x); }
};
struct Log10f {
  static constexpr const char* name = "log10f";
  __device__ static float of(float x) { return log10f(x); }
};
struct Log1pf {
  static constexpr const char* name = "log1pf";
  __device__ static float of(float x) { return log1pf(x); }
};
struct Sqrtf {
  static constexpr const char* name = "sqrtf";
  __device__ static float of(float x) { return sqrtf(x); }
};
struct Rsqrtf {
  static constexpr const char* name = "rsqrtf";
  __device__ static float of(float x) { return rsqrtf(x); }
};
struct Sinf {
  static constexpr const char* name = "sinf";
  __device__ static float of(float x) { return sinf(x); }
};
struct Cosf {
  static constexpr const char* name = "cosf";
  __device__ static float of(float x) { return cosf(x); }
};
struct Tanf {
  static constexpr const char* name = "tanf";
  __device__ static float of(float x) { return tanf(x); }
};
struct Tanhf {
  static constexpr const char* name = "tanhf";
  __device__ static float of(float x) { return tanhf(x); }
};
struct Sinhf {
  static constexpr const char* name = "sinhf";
  __device__ static float of(float x) { return sinhf(x); }
};
struct Coshf {
  static constexpr const char* name = "coshf";
  __device__ static float of(float x) { return coshf(x); }
};
struct Erff {
  static constexpr const char* name = "erff";
  __device__ static float of(float x) { return erff(x); }
};
struct Cbrtf {
  static constexpr const char* name = "cbrtf";
  __device__ static float of(float x) { return cbrtf(x); }
};
struct FastExpf {
  static constexpr const char* name = "__expf";
  __device__ static float of(float x) { return __expf(x); }
};
struct FastExp10f {
  static constexpr const char* name = "__exp10f";
  __device__ static float of(float x) { return __exp10f(x); }
};
struct FastLogf {
  static constexpr const char* name = "__logf";
  __device__ static float of(float x) { return __logf(x); }
};
struct FastLog2f {
  static constexpr const char* name = "__log2f";
  __device__ static float of(float x) { return __log2f(x); }
};
struct FastLog10f {
  static constexpr const char* name = "__log10f";
  __device__ static float of(float x) { return __log10f(x); }
};
struct FastSinf {
  static constexpr const char* name = "__sinf";
  __device__ static float of(float x) { return __sinf(x); }
};
struct FastCosf {
  static constexpr const char* name = "__cosf";
  __device__ static float of(float x) { return __cosf(x); }
};
struct FastTanf {
  static constexpr const char* name = "__tanf";
  __device__ static float of(float x) { return __tanf(x); }
};
struct FastFrcprn {
  static constexpr const char* name = "__frcp_rn";
  __device__ static float of(float x) { return __frcp_rn(x); }
};
struct FastFsqrtrn {
  static constexpr const char* name = "__fsqrt_rn";
  __device__ static float of(float x) { return __fsqrt_rn(x); }
};
struct FastFrsqrtrn {
  static constexpr const char* name = "__frsqrt_rn";
  __device__ static float of(float x) { return __frsqrt_rn(x); }
};
struct Reciprocal {
  static constexpr const char* name = "1/x";
  __device__ static float of(float x) { return 1.0F / x; }
};
struct Sigmoid {
  static constexpr const char* name = "1/(1+expf(-x))";
  __device__ static float of(float x) { return 1.0F / (1.0F + expf(-x)); }
};
struct Divide {
  static constexpr const char* name = "x/y";
  __device__ static float of(float x, float y) { return x / y; }
};
struct FastDivide {
  static constexpr const char* name = "__fdividef";
  __device__ static float of(float x, float y) { return __fdividef(x, y); }
};
struct Power {
  static constexpr const char* name = "powf";
  __device__ static float of(float x, float y) { return powf(x, y); }
};
struct FastPower {
  static constexpr const char* name = "__powf";
  __device__ static float of(float x, float y) { return __powf(x, y); }
};

std::vector<Function> wrappers(const std::string& mode) {
  return functions<Expf, Exp2f, Exp10f, Expm1f, Logf, Log2f, Log10f, Log1pf, Sqrtf, Rsqrtf, Sinf,
                   Cosf, Tanf, Tanhf, Sinhf, Coshf, Erff, Cbrtf, FastExpf, FastExp10f, FastLogf,
                   FastLog2f, FastLog10f, FastSinf, FastCosf, FastTanf, FastFrcprn, FastFsqrtrn,
                   FastFrsqrtrn, Reciprocal, Sigmoid>(mode);
}
std::vector<Function2> pair_wrappers(const std::string& mode) {
  return functions2<Divide, FastDivide, Power, FastPower>(mode);
}

}  // namespace
}  // namespace whybits::gpu::special
