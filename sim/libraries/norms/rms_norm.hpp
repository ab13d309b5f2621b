// RMSNorm, y = x · 1/√(Σx²/h + ε) · w, as vLLM, Triton and PyTorch run it on a row of h elements:
// the order of the sum of squares and the steps around it.
//
// What depends on other rows is vLLM's limit of threads, 1024 below 256 tokens and 256 from there
// on, and TorchInductor's cut of long rows over blocks. Sources: vLLM
// csrc/libtorch_stable/layernorm_kernels.cu and its batch-invariant Triton kernel; PyTorch's own
// kernel was recorded on an H200, TorchInductor's is read in its source (docs/sources.md).
#pragma once

#include <span>
#include <string_view>

#include "sim/builders/configuration_error.hpp"
#include "sim/recipe.hpp"

namespace whybits {

/// A row of the table of kernels.
struct RmsNormKernel {
  enum class Squares : std::uint8_t {
    vectors,  ///< vectors of gcd(16 bytes, h); every thread one accumulator; hidden / vector
              ///< threads
    pairs,    ///< vectors of 8, each summed by pairs of its own first; h threads, most without work
    elements,  ///< element by element; h threads
    triton,    ///< blocks of 1024, one after the other, 128 threads
    torch,     ///< 128 threads, vectors of 4
    inductor   ///< as TorchInductor writes it (libraries/inductor/row_sum.hpp)
  };
  enum class Epilogue : std::uint8_t {
    one_rounding,  ///< x·s·w in f32, rounded to the type
    two_roundings  ///< x·s rounded to the type, times w in the type
  };

  std::string_view name;
  Squares squares;          ///< how they are added
  bool residual;            ///< normalises x + residual, rounded to the type
  std::uint64_t few, many;  ///< most threads below 256 tokens, and from there on; 0: no limit
  Epilogue epilogue;
  bool ieee_scale;      ///< 1/√ by a square root and a division; else by the GPU's rsqrt
  bool tree_in_thread;  ///< Triton: a thread adds its elements as a tree (since January 2026)
  std::string_view evidence;
};

/// All that are known, in the order of the documentation.
std::span<const RmsNormKernel> rms_norm_kernels();
/// Null if there is none of that name.
const RmsNormKernel* find_rms_norm_kernel(std::string_view name);

struct RmsNormConfig {
  RmsNormKernel kernel;
  std::uint64_t tokens = 1;     ///< rows of the launch
  std::uint64_t hidden = 1;     ///< h, elements of a row
  Format type = formats::bf16;  ///< of x, residual, w and y: f32, f16 or bf16
};

/// How a row's squares are added.
struct RmsNormOrder {
  std::uint64_t threads = 1;     ///< of a block, a row each
  std::uint64_t vector = 1;      ///< elements that a thread loads at once
  bool rounded_squares = false;  ///< x² is rounded to f32 before it is added; else f32.fma
  SchemaPtr sum;                 ///< over the h squares
};
/// Errors: ConfigurationError for 0 tokens or elements, other types, and what is not known of a
/// kernel: PyTorch's at h that is no multiple of 4, pairs at h that is no multiple of 8 or in f32,
/// TorchInductor's as inductor_launch() says.
RmsNormOrder rms_norm_order(const RmsNormConfig& config);

/// Inputs x (tokens×h), w (1×h) and, where the kernel has one, residual (tokens×h). Tensors on the
/// way: z (what is normalised, if there is a residual), sum (tokens×1, f32), scale (tokens×1, f32),
/// y. `eps` is an f32 code, `rsqrt` a map from f32 to f32 (Triton's kernel has a square root and a
/// division instead, both IEEE, and does not call it).
Recipe rms_norm_recipe(const RmsNormConfig& config, const RmsNormOrder& order, Bits eps,
                       const MapOperation& rsqrt);

}  // namespace whybits
