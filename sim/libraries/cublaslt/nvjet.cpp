// Algorithm 66: wgmma kernels. The accumulator starts at +0, k ascends; slices are folded in f32
// and rounded once. Tile, cluster, custom option, layout and m change no bit.
#include "sim/builders/gemm.hpp"
#include "sim/libraries/cublaslt/families.hpp"

namespace whybits::cublaslt {
namespace {

struct Instruction {
  std::string_view unit;
  std::uint32_t stages;  ///< the only ones seen
  std::uint64_t grain;   ///< of slices: the k tile
};

Instruction instruction_for(TypeKind kind) {
  switch (kind) {
    case TypeKind::e4m3:
    case TypeKind::e4m3_fast:
      return {"sm90.wgmma.e4m3", 36, 128};
    case TypeKind::bf16:
    case TypeKind::bf16_to_f32:
      return {"sm90.wgmma.bf16", 35, 64};
    default:
      return {"sm90.wgmma.f16", 35, 64};
  }
}

/// Slices of a k that is no multiple of the grain: the length comes from floor(k / splits), so that
/// a short tail can be lost.
SchemaPtr ragged_slices(const Unit& unit, std::uint64_t k, std::uint64_t splits,
                        std::uint64_t grain) {
  const std::uint64_t length = ceil_div(k / splits, grain) * grain;
  SchemaPtr slices = schema(Slices{length, fold_of(unit), fold_of(ieee_add(formats::f32))});
  const std::uint64_t added = splits * length;
  return added < k ? schema(Take{0, added, std::move(slices)}) : slices;
}

}  // namespace

bool nvjet_ragged(const Problem& problem, const Algorithm& algorithm) {
  constexpr std::uint64_t k_tile = 64;
  return problem.shape.k % k_tile != 0 && algorithm.split_k > 1;
}

Derived nvjet(const Problem& problem, TypeKind kind, const Algorithm& algorithm,
              const Place& /*place*/) {
  const Instruction instruction = instruction_for(kind);
  if (algorithm.stages != instruction.stages)
    return NoRule{"nvjet for " + std::string(name_of(kind)) + " was seen with stages " +
                  std::to_string(instruction.stages) + " only, not " +
                  std::to_string(algorithm.stages)};
  const auto splits = stated_splits(algorithm);
  if (!splits) return NoRule{"nvjet was not seen with split_k 0 or -1"};
  // In place too partials are added in f32, in the same order.
  if (*splits > 1 && algorithm.reduction_scheme != compute_type &&
      algorithm.reduction_scheme != in_place)
    return NoRule{"split nvjet kernels were seen with reduction_scheme 1 and 2 only, not " +
                  std::to_string(algorithm.reduction_scheme)};
  const std::uint64_t k = problem.shape.k;
  const Unit unit = device_unit(instruction.unit);
  const bool fp8 = kind == TypeKind::e4m3 || kind == TypeKind::e4m3_fast;
  if (k % instruction.grain != 0 && fp8)
    return NoRule{"fp8 with k no multiple of 128 was not measured"};
  if (k % instruction.grain != 0 && *splits > 1)
    return finished(ragged_slices(unit, k, *splits, instruction.grain), problem);
  GemmConfig config;
  config.unit = unit;
  config.block_k = instruction.grain;
  config.promotion = kind == TypeKind::e4m3 ? instruction.grain : 0;
  config.splits = *splits;
  config.split_grain = instruction.grain;
  return finished(gemm_topology(config, k), problem);
}

Derived wgmma_unsplit(const Problem& problem, TypeKind kind, const Algorithm& algorithm,
                      const Place& /*place*/) {
  const std::string id = "algorithm id " + std::to_string(algorithm.id);
  if (algorithm.split_k != 1) return NoRule{id + " was measured unsplit only"};
  const Instruction instruction = instruction_for(kind);
  const std::string f16 = kind == TypeKind::f16_compute ? ".acc16" : "";
  return finished(fold_of(device_unit(std::string(instruction.unit) + f16)), problem);
}

}  // namespace whybits::cublaslt
