// What happens to a tile's accumulators: the way into the output, and how slices of K meet.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cuda/atomic>

#include "gpu/kernels/segments.cuh"

namespace whybits::gpu {

/// One rounding, to nearest even, where the output is narrower than the accumulator.
__device__ inline void store_as(OutputType type, void* out, std::size_t i, float value) {
  if (type == OutputType::f32)
    static_cast<float*>(out)[i] = value;
  else if (type == OutputType::bf16)
    static_cast<__nv_bfloat16*>(out)[i] = __float2bfloat16_rn(value);
  else
    static_cast<__half*>(out)[i] = __float2half_rn(value);
}
__device__ inline void store_as(OutputType, void* out, std::size_t i, double value) {
  static_cast<double*>(out)[i] = value;
}
__device__ inline void store_as(OutputType, void* out, std::size_t i, __half value) {
  static_cast<__half*>(out)[i] = value;
}

/// Past the first-level cache: other blocks wrote it.
__device__ inline float load_fresh(OutputType type, const void* data, std::size_t i) {
  if (type == OutputType::f32) return __ldcg(static_cast<const float*>(data) + i);
  const unsigned short word = __ldcg(static_cast<const unsigned short*>(data) + i);
  if (type == OutputType::bf16) return __bfloat162float(__ushort_as_bfloat16(word));
  return __half2float(__ushort_as_half(word));
}

/// What becomes of one accumulator, the same for all of a segment.
struct Delivery {
  enum class Kind : std::uint8_t { store, add, atomic };
  Kind kind;        ///< store it; total + it, stored; atomicAdd
  OutputType type;  ///< in which it is stored
  void* to;
  std::size_t offset;  ///< of the slice
  OutputType held;     ///< of the total
  const void* total;
};

/// Not inlined: a warp has up to 128 accumulators, and this is not the hot loop.
__device__ __noinline__ inline void deliver(const Delivery& d, std::size_t i, float value) {
  if (d.kind == Delivery::Kind::atomic) {
    atomicAdd(static_cast<float*>(d.to) + i, value);
    return;
  }
  if (d.kind == Delivery::Kind::add) value = __fadd_rn(load_fresh(d.held, d.total, i), value);
  store_as(d.type, d.to, d.offset + i, value);
}
/// f64 and f16 accumulators are not split.
__device__ inline void deliver(const Delivery& d, std::size_t i, double value) {
  store_as(d.type, d.to, i, value);
}
__device__ inline void deliver(const Delivery& d, std::size_t i, __half value) {
  store_as(d.type, d.to, i, value);
}

__device__ inline Delivery delivery_of(const GemmArgs& g, const Segment& s) {
  using enum Delivery::Kind;
  const Delivery straight{store, g.output, g.out, 0, g.output, nullptr};
  if (s.parts == 1) return straight;
  const std::size_t slice = static_cast<std::size_t>(s.part) * g.m * g.n;
  switch (g.split) {
    case Split::workspace:
      return {store, OutputType::f32, g.workspace, slice, OutputType::f32, nullptr};
    case Split::workspace_output:
      return {store, g.output, g.workspace, slice, g.output, nullptr};
    case Split::atomic:
      return {atomic, OutputType::f32, g.out, 0, OutputType::f32, nullptr};
    case Split::serial:
      return {s.part > 0 ? add : store, g.output, g.out, 0, g.output, g.out};
    case Split::stream_k:
      break;
  }
  const bool last = s.part + 1 == s.parts;
  return {s.part > 0 ? add : store,
          last ? g.output : OutputType::f32,
          last ? g.out : g.workspace,
          0,
          OutputType::f32,
          g.workspace};
}

/// Hands every output of a segment over. visit(f) calls f(row · n + column, accumulator) for every
/// output that the thread holds; sync is a barrier of all threads that call this; `leader` is true
/// for one of them.
///
/// Totals that pass from slice to slice: slice `part` waits for the slices before it. Blocks wait
/// only for blocks of lower index, which the hardware starts first.
template <class Visit, class Sync>
__device__ void finish(const GemmArgs& g, const Segment& s, Visit&& visit, Sync&& sync,
                       bool leader) {
  const Delivery delivery = delivery_of(g, s);
  const bool in_order = s.parts > 1 && (g.split == Split::serial || g.split == Split::stream_k);
  if (in_order) {
    if (leader) {
      cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> ticket(g.tickets[s.tile]);
      while (ticket.load(cuda::memory_order_acquire) != s.part) {
      }
    }
    sync();
  }
  visit([&](std::size_t i, auto value) { deliver(delivery, i, value); });
  if (in_order) {
    __threadfence();
    sync();
    if (leader) {
      cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> ticket(g.tickets[s.tile]);
      ticket.store(s.part + 1, cuda::memory_order_release);
    }
  }
}

}  // namespace whybits::gpu
