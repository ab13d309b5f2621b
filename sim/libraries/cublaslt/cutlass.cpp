// Algorithms 21, 23, 24, 35 and 63: CUTLASS 2.x kernels by mma.sync. Every slice begins with its
// residue tile.
#include "sim/builders/gemm.hpp"
#include "sim/libraries/cublaslt/codes.hpp"
#include "sim/libraries/cublaslt/families.hpp"

namespace whybits::cublaslt {
namespace {

constexpr std::uint64_t k_tile_of_k8 = 32;  ///< stages 0: the kernel for unaligned 16-bit operands

std::string unit_for(TypeKind kind, bool k8) {
  switch (kind) {
    case TypeKind::tf32:
      return "sm90.mma.tf32";
    case TypeKind::bf16:
    case TypeKind::bf16_to_f32:
      return k8 ? "sm90.mma.bf16.k8" : "sm90.mma.bf16";
    default:
      break;
  }
  return std::string(k8 ? "sm90.mma.f16.k8" : "sm90.mma.f16") +
         (kind == TypeKind::f16_compute ? ".acc16" : "");
}

bool unsplit_only(std::uint32_t id, TypeKind kind) {
  return id == 63 || id == 35 ||
         (id == 21 && kind != TypeKind::tf32 && kind != TypeKind::f16_compute);
}

/// 128 bytes of operands, or 16 where k is no multiple of that.
std::uint64_t split_grain(const Problem& problem) {
  const std::uint64_t bytes = problem.a.word_bytes();
  const std::uint64_t line = 128 / bytes;
  return problem.shape.k % line == 0 ? line : 16 / bytes;
}

}  // namespace

Derived cutlass(const Problem& problem, TypeKind kind, const Algorithm& algorithm,
                const Place& /*place*/) {
  const auto splits = stated_splits(algorithm);
  if (!splits) return NoRule{"CUTLASS kernels were not seen with split_k 0 or -1"};
  const bool k8 = algorithm.stages == 0;
  const auto tile = k8 ? std::optional(k_tile_of_k8) : k_tile(algorithm.stages);
  if (!tile || (k8 && (kind == TypeKind::tf32 || algorithm.id != 24)))
    return NoRule{"stages " + std::to_string(algorithm.stages) + " of algorithm id " +
                  std::to_string(algorithm.id) + " have no known k tile"};
  if (*splits > 1 && unsplit_only(algorithm.id, kind))
    return NoRule{"algorithm id " + std::to_string(algorithm.id) + " for " +
                  std::string(name_of(kind)) + " was measured unsplit only"};
  GemmConfig config;
  config.unit = device_unit(unit_for(kind, k8));
  config.block_k = *tile;
  config.splits = *splits;
  config.split_grain = split_grain(problem);
  const bool narrow = problem.out != config.unit.format;
  if (*splits > 1 && narrow) {
    if (algorithm.reduction_scheme == output_type) config.scheme = SplitScheme::workspace_output;
    if (algorithm.reduction_scheme == in_place) config.scheme = SplitScheme::serial;
    if (algorithm.reduction_scheme == in_place && problem.bias)
      return NoRule{"where a bias enters a running total in the output's type was not measured"};
  }
  // Split kernels round to the output's type before the bias, unsplit ones after it.
  const bool bias_after = problem.bias && *splits > 1 && narrow;
  config.bias = problem.bias && !bias_after;
  if (narrow || (config.bias && problem.out != formats::f32))
    config.output = Conversion{problem.out, {}};
  // A residue of whole steps leaves the steps where they are.
  const std::uint64_t k = problem.shape.k, length = split_length(config, k);
  const auto shows = [&](std::uint64_t slice) {
    return slice % *tile % static_cast<std::uint64_t>(config.unit.addends) != 0;
  };
  config.residue_first = algorithm.id != 35 && (shows(length) || shows(k % length));
  SchemaPtr topology = gemm_topology(config, k);
  if (!bias_after) return topology;
  return schema(RoundTo{schema(AddOperand{std::move(topology), "bias"}), *config.output});
}

}  // namespace whybits::cublaslt
