// Sweeps of functions of f32 words on the device, as digests or as words.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace whybits::gpu::special {

inline constexpr unsigned block_bits = 19;  ///< of a digest: 16 blocks hold one sign and exponent
inline constexpr unsigned threads = 256;

/// splitmix64's step.
__host__ __device__ inline std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// What one result adds to the digest of its block: sums, so that blocks can be joined.
__host__ __device__ inline std::uint64_t term(std::uint32_t input, std::uint32_t result) {
  return mix((static_cast<std::uint64_t>(input) << 32) | result);
}

inline void must(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(3);
}

/// A function of one word: 2^13 digests of all 2^32 inputs, or results for chosen inputs.
struct Function {
  std::string name;
  void (*digest)(std::uint64_t* blocks);  ///< device memory, 2^(32 - block_bits)
  void (*evaluate)(const std::uint32_t* x, std::uint32_t* y, std::size_t n);  ///< device memory
};

/// A function of two words; the pairs come from a stream (see pair()).
struct Function2 {
  std::string name;
  void (*digest)(unsigned stream, std::uint64_t* blocks, unsigned count);
  void (*evaluate)(const std::uint32_t* x, const std::uint32_t* y, std::uint32_t* z, std::size_t n);
};

/// Pair i of a stream. 0: any bits; 1: exponents within 2^±8, both signs; 2: any bits over
/// divisors of magnitude 2^(126 … 128), where division needs a scaled path.
__host__ __device__ inline void pair(unsigned stream, std::uint32_t i, std::uint32_t& x,
                                     std::uint32_t& y) {
  const std::uint64_t h = mix(mix(stream) + i);
  x = static_cast<std::uint32_t>(h);
  y = static_cast<std::uint32_t>(h >> 32);
  if (stream == 1) {
    x = (x & 0x807fffffU) | ((119U + ((x >> 23) & 15U)) << 23);
    y = (y & 0x807fffffU) | ((119U + ((y >> 23) & 15U)) << 23);
  } else if (stream == 2) {
    y = (y & 0x80ffffffU) | (253U << 23);
  }
}

namespace detail {

__device__ inline std::uint32_t word(float x) {
  return __float_as_uint(x);
}
__device__ inline std::uint32_t word(std::uint32_t x) {
  return x;
}

/// Functors take either the word or the f32 value.
template <class F>
__device__ std::uint32_t at(std::uint32_t x) {
  if constexpr (requires { F::of_word(x); })
    return F::of_word(x);
  else
    return word(F::of(__uint_as_float(x)));
}

__device__ inline void add_up(std::uint64_t sum, std::uint64_t* block) {
  for (unsigned distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(~0U, sum, distance);
  if (threadIdx.x % 32 == 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(block), static_cast<unsigned long long>(sum));
}

template <class F>
__global__ void digest_all(std::uint64_t* blocks) {
  std::uint64_t sum = 0;
  for (unsigned i = threadIdx.x; i < (1U << block_bits); i += blockDim.x) {
    const std::uint32_t x = (blockIdx.x << block_bits) + i;
    sum += term(x, at<F>(x));
  }
  add_up(sum, blocks + blockIdx.x);
}

template <class F>
__global__ void evaluate_some(const std::uint32_t* x, std::uint32_t* y, std::size_t n) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    y[i] = at<F>(x[i]);
}

template <class F>
__global__ void digest_pairs(unsigned stream, std::uint64_t* blocks) {
  std::uint64_t sum = 0;
  for (unsigned k = threadIdx.x; k < (1U << block_bits); k += blockDim.x) {
    const std::uint32_t i = (blockIdx.x << block_bits) + k;
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    pair(stream, i, x, y);
    sum += term(i, word(F::of(__uint_as_float(x), __uint_as_float(y))));
  }
  add_up(sum, blocks + blockIdx.x);
}

template <class F>
__global__ void evaluate_pairs(const std::uint32_t* x, const std::uint32_t* y, std::uint32_t* z,
                               std::size_t n) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    z[i] = word(F::of(__uint_as_float(x[i]), __uint_as_float(y[i])));
}

}  // namespace detail

template <class F>
Function function(const std::string& mode = "") {
  return {mode + F::name,
          [](std::uint64_t* blocks) {
            detail::digest_all<F><<<1U << (32 - block_bits), threads>>>(blocks);
            must(cudaGetLastError(), F::name);
          },
          [](const std::uint32_t* x, std::uint32_t* y, std::size_t n) {
            detail::evaluate_some<F><<<1024, threads>>>(x, y, n);
            must(cudaGetLastError(), F::name);
          }};
}

template <class F>
Function2 function2(const std::string& mode = "") {
  return {mode + F::name,
          [](unsigned stream, std::uint64_t* blocks, unsigned count) {
            detail::digest_pairs<F><<<count, threads>>>(stream, blocks);
            must(cudaGetLastError(), F::name);
          },
          [](const std::uint32_t* x, const std::uint32_t* y, std::uint32_t* z, std::size_t n) {
            detail::evaluate_pairs<F><<<1024, threads>>>(x, y, z, n);
            must(cudaGetLastError(), F::name);
          }};
}

template <class... F>
std::vector<Function> functions(const std::string& mode = "") {
  return {function<F>(mode)...};
}
template <class... F>
std::vector<Function2> functions2(const std::string& mode = "") {
  return {function2<F>(mode)...};
}

std::vector<Function> instructions();
std::vector<Function2> pair_instructions();
std::vector<Function> half_instructions();  ///< of a 16-bit word, in the low half

std::vector<Function> wrappers_default();
std::vector<Function> wrappers_ftz();
std::vector<Function> wrappers_fast();
std::vector<Function2> pair_wrappers_default();
std::vector<Function2> pair_wrappers_ftz();
std::vector<Function2> pair_wrappers_fast();

}  // namespace whybits::gpu::special
