// LayerNorm, y = (x − mean) · 1/√(variance + ε) · w + bias, as PyTorch runs it on a row: mean and
// variance in one pass, by Welford's updates in every thread and Chan's formula where two meet.
//
// What decides a row's bits: threads, the vectors they load, and which of two halves is `other` in
// a merge. Nothing depends on other rows. Source: PyTorch 2.11, aten/src/ATen/native/cuda/
// layer_norm_kernel.cu, recorded on an H200 (tests/recordings/operations/torch-layer-norm.json).
// B. P. Welford, Technometrics 4(3), 1962; T. F. Chan et al., COMPSTAT 1982.
#pragma once

#include <span>
#include <string_view>

#include "sim/builders/configuration_error.hpp"
#include "sim/recipe.hpp"

namespace whybits {

struct LayerNormConfig {
  std::uint64_t hidden = 1;     ///< h, elements of a row
  Format type = formats::bf16;  ///< of x, w, bias and y: f32, f16 or bf16
  std::uint64_t threads = 128;  ///< that share a row: PyTorch's is 128
  std::uint64_t vector = 4;     ///< elements that a thread loads at once: PyTorch's is 4
};
/// Errors: ConfigurationError for no elements, other types, threads that are no power of two from
/// 32 to 1024, and an h that is no multiple of the vector (PyTorch then takes another kernel).
void check_layer_norm(const LayerNormConfig& config);

/// Codes of f32.
struct Moments {
  Bits mean = 0;
  Bits squares = 0;  ///< Σ (x − mean)²

  bool operator==(const Moments&) const = default;
};
/// Of one row. Lanes of a warp, then warps, meet far first; a thread without elements takes part.
/// Precondition: the row has config.hidden codes of config.type. O(h).
Moments layer_norm_moments(const LayerNormConfig& config, std::span<const Bits> row);

/// Inputs x (rows×h), w and bias (1×h), mean and squares (rows×1, f32: the moments of every row).
/// Tensors on the way: rstd (rows×1, f32), y. `eps` is an f32 code, `rsqrt` a map from f32 to f32.
Recipe layer_norm_recipe(const LayerNormConfig& config, Bits eps, const MapOperation& rsqrt);

}  // namespace whybits
