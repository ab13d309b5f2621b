// Runs one matrix instruction on a batch of tiles whose operands are given as bits.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/instructions/instruction_table.hpp"

namespace whybits::gpu {

/// Storage words, little endian, one tile behind another: a[tile][m][k], b[tile][n][k],
/// c[tile][m][n]. tf32 operands are f32 words with all their bits.
struct TileBatch {
  std::uint64_t tiles = 0;
  std::vector<std::uint8_t> a, b, c;
  bool with_c = true;  ///< false: D = A·B (wgmma with scale-d = 0); c is not read
};

/// There is no device that has these instructions, or it failed; the message says which.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "nvcc 13.0.88": who turned the instructions' PTX into machine code; empty without CUDA.
std::string instruction_compiler();

/// Throws DeviceError unless device 0 has compute capability 9.0.
void require_matrix_instructions();

/// D of every tile as storage words d[tile][m][n]. Each tile is one instruction of one warp (mma)
/// or warpgroup (wgmma). Precondition: sizes match; without c only for wgmma. Errors: DeviceError.
std::vector<std::uint8_t> run_tiles(const MatrixInstruction& instruction, const TileBatch& batch);

/// Bytes of one storage word of a format: "tf32" 4, "e4m3" 1.
constexpr int word_bytes(std::string_view format) {
  if (format == "f64") return 8;
  if (format == "f32" || format == "tf32") return 4;
  return format == "f16" || format == "bf16" ? 2 : 1;
}

}  // namespace whybits::gpu
