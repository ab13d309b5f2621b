// Elements of 32 or 16 bits, widened exactly and rounded once.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <stdexcept>

#include "sim/format.hpp"

namespace whybits::gpu {

__device__ inline float widen(float x) {
  return x;
}
__device__ inline float widen(__half x) {
  return __half2float(x);
}
__device__ inline float widen(__nv_bfloat16 x) {
  return __bfloat162float(x);
}

template <class T>
__device__ T rounded(float x);
template <>
__device__ inline float rounded(float x) {
  return x;
}
template <>
__device__ inline __half rounded(float x) {
  return __float2half_rn(x);
}
template <>
__device__ inline __nv_bfloat16 rounded(float x) {
  return __float2bfloat16_rn(x);
}

/// Calls action with an element of the type. Errors: std::logic_error for other formats.
template <class Action>
void with_element_type(const Format& type, Action action) {
  if (type == formats::f32) return action(float{});
  if (type == formats::f16) return action(__half{});
  if (type == formats::bf16) return action(__nv_bfloat16{});
  throw std::logic_error("no kernel for elements of " + format_name(type));
}

}  // namespace whybits::gpu
