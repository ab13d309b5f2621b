// What a GEMM kernel is handed: plain data for host and device.
#pragma once

#include <cstddef>
#include <cstdint>

namespace whybits::gpu {

enum class Split : std::uint8_t {
  workspace,         ///< partials as they are, added by a second kernel
  workspace_output,  ///< partials rounded to the output's format, added by a second kernel
  serial,            ///< slice after slice, the running total in the output's format
  atomic,            ///< atomicAdd in the order of arrival
  stream_k,          ///< blocks share the k tiles of all tiles; f32 totals, in order of k
  last_arrival,      ///< partials as they are; the block that comes last adds them, ascending
  cluster,           ///< a tile's blocks form a cluster and add partials in its shared memory
  running            ///< one block has all slices of a tile, and their total
};

enum class OutputType : std::uint8_t { f32, f64, bf16, f16 };

/// One k tile of one warp, as it happened: written by the kernel that computes.
struct ProbeRecord {
  std::uint32_t cta;           ///< block of threads
  std::uint32_t tile_m;        ///< first row of the output tile
  std::uint32_t tile_n;        ///< first column
  std::uint32_t part;          ///< slice of K
  std::uint32_t k_begin;       ///< of the k tile
  std::uint32_t stage_offset;  ///< where in shared memory its operands were read, bytes
  std::uint32_t warp;
  std::uint32_t instructions;  ///< matrix instructions or fma steps that the warp issued
};

struct ProbeLog {
  unsigned long long* count;  ///< records that were wanted, also beyond the capacity
  ProbeRecord* records;
  std::size_t capacity;
};

/// a is m×k, b is n×k (k contiguous in both); rows begin at multiples of 16 bytes and are padded to
/// such; out is m×n.
struct GemmArgs {
  std::uint32_t m = 0, n = 0, k = 0;
  const void* a = nullptr;
  const void* b = nullptr;
  std::uint32_t lda = 0, ldb = 0;  ///< elements
  std::uint32_t block_m = 0, block_n = 0, block_k = 0, group_m = 1, stages = 1;
  std::uint32_t warp_slices = 1, promotion = 0;
  std::uint32_t slice = 0;     ///< addends of a slice of K; k if it is not split
  std::uint32_t workers = 0;   ///< of Stream-K
  std::uint32_t fetch = 0;     ///< bytes that the second-level cache takes at least: 0, 128, 256
  std::uint32_t cluster = 1;   ///< blocks side by side in n that share the rows of a
  std::uint32_t together = 1;  ///< slices that a block of Split::cluster computes of a tile
  bool once = false;           ///< the second-level cache may let b go first
  Split split = Split::workspace;
  OutputType output = OutputType::f32;
  void* out = nullptr;
  /// [slice][m][n]; of Stream-K one [m][n] of f32 totals; of last_arrival [slice][tile][fragment].
  void* workspace = nullptr;
  std::uint32_t* tickets = nullptr;  ///< a tile's finished slices, from 0
  ProbeLog probe{};                  ///< records == nullptr: not asked for
};

}  // namespace whybits::gpu
