// Numbers of cublasLt.h (13.1.0): what TILE_ID, CLUSTER_SHAPE_ID and STAGES_ID stand for.
#pragma once

#include <cstdint>
#include <optional>

namespace whybits::cublaslt {

/// Rows × columns of the column-major problem: (our n) × (our m) unless a rule says otherwise.
struct Extent {
  std::uint64_t rows = 0, columns = 0;
  bool operator==(const Extent&) const = default;
};

/// CUBLASLT_MATMUL_TILE_*; nullopt for undefined or unknown numbers.
std::optional<Extent> tile_extent(std::uint32_t tile_id);
/// CUBLASLT_CLUSTER_SHAPE_* in thread blocks; nullopt for "auto" or unknown numbers.
std::optional<Extent> cluster_extent(std::uint32_t cluster_id);
/// k tile of CUBLASLT_MATMUL_STAGES_*; nullopt for undefined or unknown numbers.
std::optional<std::uint64_t> k_tile(std::uint32_t stages_id);

}  // namespace whybits::cublaslt
