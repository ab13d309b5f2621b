// The approximate instructions of PTX, one functor each.
#include "gpu/special/sweep.cuh"

namespace whybits::gpu::special {
namespace {

struct Ex2 {
  static constexpr const char* name = "ex2.approx.f32";
  __device__ static float of(float x) {
    float y;
    asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
};
struct Ex2Ftz {
  static constexpr const char* name = "ex2.approx.ftz.f32";
  __device__ static float of(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
};
struct Lg2 {
  static constexpr const char* name = "lg2.approx.f32";
  __device__ static float of(float x) {
    float y;
    asm("lg2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
};
struct Lg2Ftz {
  static constexpr const char* name = "lg2.approx.ftz.f32";
  __device__ static float of(float x) {
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
};
struct Rcp {
  static constexpr const char* name = "rcp.approx.f32";
  __device__ static float of(float x) {
    float y;
    asm("rcp.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
};
struct RcpFtz {
  static constexpr const char* name = "rcp.approx.ftz.f32";
  __device__ static float of(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
};
struct Rsqrt {
  static constexpr const char* name = "rsqrt.approx.f32";
  __device__ static float of(float x) {
    float y;
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
};
struct RsqrtFtz {
  static constexpr const char* name = "rsqrt.approx.ftz.f32";
  __device__ static float of(float x) {
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
};
struct Sqrt {
  static constexpr const char* name = "sqrt.approx.f32";
  __device__ static float of(float x) {
    float y;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
};
struct SqrtFtz {
  static constexpr const char* name = "sqrt.approx.ftz.f32";
  __device__ static float of(float x) {
    float y;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
};
struct Sin {
  static constexpr const char* name = "sin.approx.f32";
  __device__ static float of(float x) {
    float y;
    asm("sin.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
};
struct SinFtz {
  static constexpr const char* name = "sin.approx.ftz.f32";
  __device__ static float of(float x) {
    float y;
    asm("sin.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
};
struct Cos {
  static constexpr const char* name = "cos.approx.f32";
  __device__ static float of(float x) {
    float y;
    asm("cos.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
};
struct CosFtz {
  static constexpr const char* name = "cos.approx.ftz.f32";
  __device__ static float of(float x) {
    float y;
    asm("cos.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
};
struct Tanh {
  static constexpr const char* name = "tanh.approx.f32";
  __device__ static float of(float x) {
    float y;
    asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
};
/// The upper word of an f64; the lower word of the operand is 0, that of the result is not kept.
struct RcpHigh {
  static constexpr const char* name = "rcp.approx.ftz.f64";
  __device__ static std::uint32_t of_word(std::uint32_t x) {
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(__hiloint2double(static_cast<int>(x), 0)));
    return static_cast<std::uint32_t>(__double2hiint(y));
  }
};
/// The upper word of an f64; the lower word of the operand is 0, that of the result is not kept.
struct RsqrtHigh {
  static constexpr const char* name = "rsqrt.approx.ftz.f64";
  __device__ static std::uint32_t of_word(std::uint32_t x) {
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(__hiloint2double(static_cast<int>(x), 0)));
    return static_cast<std::uint32_t>(__double2hiint(y));
  }
};
struct Ex2F16 {
  static constexpr const char* name = "ex2.approx.f16";
  __device__ static std::uint32_t of_word(std::uint32_t x) {
    std::uint16_t y;
    asm("ex2.approx.f16 %0, %1;" : "=h"(y) : "h"(static_cast<std::uint16_t>(x)));
    return y;
  }
};
struct Ex2FtzBf16 {
  static constexpr const char* name = "ex2.approx.ftz.bf16";
  __device__ static std::uint32_t of_word(std::uint32_t x) {
    std::uint16_t y;
    asm("ex2.approx.ftz.bf16 %0, %1;" : "=h"(y) : "h"(static_cast<std::uint16_t>(x)));
    return y;
  }
};
struct TanhF16 {
  static constexpr const char* name = "tanh.approx.f16";
  __device__ static std::uint32_t of_word(std::uint32_t x) {
    std::uint16_t y;
    asm("tanh.approx.f16 %0, %1;" : "=h"(y) : "h"(static_cast<std::uint16_t>(x)));
    return y;
  }
};
struct TanhBf16 {
  static constexpr const char* name = "tanh.approx.bf16";
  __device__ static std::uint32_t of_word(std::uint32_t x) {
    std::uint16_t y;
    asm("tanh.approx.bf16 %0, %1;" : "=h"(y) : "h"(static_cast<std::uint16_t>(x)));
    return y;
  }
};
struct DivApprox {
  static constexpr const char* name = "div.approx.f32";
  __device__ static float of(float x, float y) {
    float z;
    asm("div.approx.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));
    return z;
  }
};
struct DivApproxFtz {
  static constexpr const char* name = "div.approx.ftz.f32";
  __device__ static float of(float x, float y) {
    float z;
    asm("div.approx.ftz.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));
    return z;
  }
};
struct DivFull {
  static constexpr const char* name = "div.full.f32";
  __device__ static float of(float x, float y) {
    float z;
    asm("div.full.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));
    return z;
  }
};
struct DivFullFtz {
  static constexpr const char* name = "div.full.ftz.f32";
  __device__ static float of(float x, float y) {
    float z;
    asm("div.full.ftz.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));
    return z;
  }
};

}  // namespace

std::vector<Function> instructions() {
  return functions<Ex2, Ex2Ftz, Lg2, Lg2Ftz, Rcp, RcpFtz, Rsqrt, RsqrtFtz, Sqrt, SqrtFtz, Sin,
                   SinFtz, Cos, CosFtz, Tanh, RcpHigh, RsqrtHigh>();
}

std::vector<Function> half_instructions() {
  return functions<Ex2F16, Ex2FtzBf16, TanhF16, TanhBf16>();
}

std::vector<Function2> pair_instructions() {
  return functions2<DivApprox, DivApproxFtz, DivFull, DivFullFtz>();
}

}  // namespace whybits::gpu::special
