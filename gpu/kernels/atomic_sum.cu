// Float atomics, one thread a row, so that the order is the index order and only the arithmetic is
// asked: in global memory subnormals are flushed, in shared memory they are not.
#include <stdexcept>

#include "gpu/cuda_error.cuh"
#include "gpu/kernels/sum_args.hpp"

namespace whybits::gpu {
namespace {

constexpr std::uint32_t threads = 64;

__device__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

/// An atom whose result nobody reads would be compiled to a red.
__device__ void keep(float old) {
  volatile float kept = old;
  static_cast<void>(kept);
}

struct AtomGlobal {
  static constexpr bool in_shared = false;
  static __device__ void add(float* cell, float x) {
    float old;
    asm volatile("atom.global.add.f32 %0, [%1], %2;"
                 : "=f"(old)
                 : "l"(__cvta_generic_to_global(cell)), "f"(x)
                 : "memory");
    keep(old);
  }
};
struct RedGlobal {
  static constexpr bool in_shared = false;
  static __device__ void add(float* cell, float x) {
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(__cvta_generic_to_global(cell)), "f"(x)
                 : "memory");
  }
};
struct AtomShared {
  static constexpr bool in_shared = true;
  static __device__ void add(float* cell, float x) {
    float old;
    asm volatile("atom.shared.add.f32 %0, [%1], %2;"
                 : "=f"(old)
                 : "r"(shared_address(cell)), "f"(x)
                 : "memory");
    keep(old);
  }
};
struct RedShared {
  static constexpr bool in_shared = true;
  static __device__ void add(float* cell, float x) {
    asm volatile("red.shared.add.f32 [%0], %1;" ::"r"(shared_address(cell)), "f"(x) : "memory");
  }
};

template <class Op>
__global__ void atomic_sum(const SumArgs g) {
  __shared__ float cells[threads];
  const std::uint32_t row = blockIdx.x * threads + threadIdx.x;
  if (row >= g.rows) return;
  float* cell = Op::in_shared ? &cells[threadIdx.x] : &g.out[row];
  *cell = 0;
  __threadfence();
  const float* x = g.x + static_cast<std::size_t>(row) * g.k;
  for (std::uint32_t i = 0; i < g.k; ++i) Op::add(cell, x[i]);
  if (Op::in_shared) g.out[row] = *const_cast<volatile float*>(cell);
}

template <class Op>
void start(const SumPlan& plan) {
  atomic_sum<Op><<<(plan.args.rows + threads - 1) / threads, threads>>>(plan.args);
  check_launch("atomic.sum");
}

struct Row {
  const char* instruction;
  void (*launch)(const SumPlan&);
};
constexpr Row rows[] = {{"atom_global", start<AtomGlobal>},
                        {"red_global", start<RedGlobal>},
                        {"atom_shared", start<AtomShared>},
                        {"red_shared", start<RedShared>}};

}  // namespace

void launch_atomic_sum(const SumPlan& plan) {
  for (const Row& row : rows)
    if (plan.instruction == row.instruction) return row.launch(plan);
  throw std::logic_error("atomic.sum: instruction " + plan.instruction);
}

}  // namespace whybits::gpu
