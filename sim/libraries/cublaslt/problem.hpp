// What cublasLtMatmul was asked, and what the library reports about its choice.
//
// Row-major C = A·B, computed as the column-major product with B as first operand: what torch.mm
// (B stored k×n, "NN") and nn.Linear (B stored n×k, "TN") do.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/gemm.hpp"

namespace whybits::cublaslt {

/// cublasComputeType_t, as far as it is modelled.
enum class Compute : std::uint8_t { f32, f16, tf32 };
inline constexpr std::array<std::string_view, 3> compute_names{"32F", "16F", "32F_FAST_TF32"};

/// How B lies in memory.
enum class StorageB : std::uint8_t {
  kn,  ///< torch.mm: NN
  nk   ///< the weight of nn.Linear: TN
};
inline constexpr std::array<std::string_view, 2> layout_names{"NN", "TN"};

struct Problem {
  GemmShape shape;  ///< m rows of A (the batch), n columns of B
  Format a, b, out;
  Compute compute = Compute::f32;
  StorageB storage_b = StorageB::kn;
  bool fast_accumulation = false;  ///< of fp8 operands; a flag of the descriptor, not a field
  bool bias = false;               ///< CUBLASLT_EPILOGUE_BIAS
};

/// Operand, output and compute types that have rules.
enum class TypeKind : std::uint8_t {
  bf16,         ///< bf16 × bf16 → bf16
  bf16_to_f32,  ///< bf16 × bf16 → f32
  f16,
  f16_to_f32,
  f16_compute,  ///< f16 accumulators
  f32,
  tf32,  ///< f32 operands, TF32 products
  e4m3,  ///< e4m3 × e4m3 → bf16 with promotion every 128 k
  e4m3_fast
};
inline constexpr std::array<std::string_view, 9> type_kind_names{
    "bf16", "bf16-f32", "f16", "f16-f32", "f16-compute", "f32", "tf32", "e4m3", "e4m3-fast"};
inline constexpr std::size_t type_kinds = type_kind_names.size();

std::string_view name_of(TypeKind kind);
std::optional<TypeKind> find_type_kind(std::string_view name);
/// nullopt for types that no rule knows.
std::optional<TypeKind> type_kind(const Problem& problem);
/// A problem of these types.
Problem problem_of(TypeKind kind, const GemmShape& shape, StorageB storage_b);

/// SPLITK_NUM of kernels that decide the parts themselves.
inline constexpr std::uint32_t decided_by_kernel = 0xffffffff;

/// The nine attributes of cublasLtMatmulAlgoConfigGetAttribute, by their numbers in cublasLt.h.
struct Algorithm {
  std::uint32_t id = 0;
  std::uint32_t tile = 0;
  std::uint32_t stages = 0;
  std::uint32_t split_k = 1;
  std::uint32_t reduction_scheme = 0;
  std::uint32_t cta_swizzling = 0;
  std::uint32_t custom_option = 0;
  std::uint32_t inner_shape = 0;
  std::uint32_t cluster_shape = 0;
  bool operator==(const Algorithm&) const = default;
};

/// A field by the name that recordings and the atlas use.
struct FieldName {
  std::string_view name;
  std::uint32_t Algorithm::* field;
};
inline constexpr std::array<FieldName, 9> algorithm_fields{{
    {"id", &Algorithm::id},
    {"tile", &Algorithm::tile},
    {"stages", &Algorithm::stages},
    {"split_k", &Algorithm::split_k},
    {"reduction_scheme", &Algorithm::reduction_scheme},
    {"cta_swizzling", &Algorithm::cta_swizzling},
    {"custom_option", &Algorithm::custom_option},
    {"inner_shape", &Algorithm::inner_shape},
    {"cluster_shape", &Algorithm::cluster_shape},
}};

/// "id 66, tile 312, …": every field, split_k −1 as the header prints it.
std::string text_of(const Algorithm& algorithm);

}  // namespace whybits::cublaslt
