// Matrix instructions of sm_90, one row an instruction: its PTX, its operands, its shape, and the
// unit of sim/device_table.hpp that it is claimed to be.
//
// Computes D = A·B + C for a tile: A is m×k, B is k×n, C and D are m×n.
// Where the operands lie (PTX ISA, "Matrix Fragments"), with g = lane / 4, t = lane mod 4 and words
// of 4 bytes (f64: of 8) along k:
//   mma     A word r of a lane: row g + 8·(r mod 2), word t + 4·(r / 2) of k (m8: row g);
//           B word r: column g, word t + 4·r of k;
//           C, D: row g (+ 8 for the second pair), columns 2t and 2t + 1.
//   wgmma   warp w has rows 16w … 16w + 15. A as above or in shared memory, B in shared memory:
//           core matrices of 8 rows × 16 bytes, no swizzle, k contiguous; D has a pair of columns
//           as above for each 8 columns.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace whybits::gpu {

/// Where the instruction reads A from. B is in registers for mma and in shared memory for wgmma.
enum class ASource : unsigned char { registers, shared };

struct MatrixInstruction {
  std::string_view name;
  std::string_view ptx;      ///< opcode with its modifiers
  std::string_view unit;     ///< of sim/device_table
  std::string_view a, b, d;  ///< formats of A, of B, and of C and D
  int m = 0, n = 0, k = 0;
  ASource a_source = ASource::registers;

  constexpr bool is_wgmma() const { return ptx.starts_with("wgmma"); }
};

namespace detail {
using enum ASource;
inline constexpr std::array instructions = std::to_array<MatrixInstruction>({
    {"mma.m16n8k8.f32.f16", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", "sm90.mma.f16.k8",
     "f16", "f16", "f32", 16, 8, 8, registers},
    {"mma.m16n8k16.f32.f16", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "sm90.mma.f16",
     "f16", "f16", "f32", 16, 8, 16, registers},
    {"mma.m16n8k8.f16.f16", "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16",
     "sm90.mma.f16.k8.acc16", "f16", "f16", "f16", 16, 8, 8, registers},
    {"mma.m16n8k16.f16.f16", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
     "sm90.mma.f16.acc16", "f16", "f16", "f16", 16, 8, 16, registers},
    {"mma.m16n8k8.f32.bf16", "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32",
     "sm90.mma.bf16.k8", "bf16", "bf16", "f32", 16, 8, 8, registers},
    {"mma.m16n8k16.f32.bf16", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
     "sm90.mma.bf16", "bf16", "bf16", "f32", 16, 8, 16, registers},
    {"mma.m16n8k4.f32.tf32", "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32",
     "sm90.mma.tf32.k4", "tf32", "tf32", "f32", 16, 8, 4, registers},
    {"mma.m16n8k8.f32.tf32", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "sm90.mma.tf32",
     "tf32", "tf32", "f32", 16, 8, 8, registers},
    {"mma.m16n8k16.f32.e4m3", "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32",
     "sm90.mma.e4m3.k16", "e4m3", "e4m3", "f32", 16, 8, 16, registers},
    {"mma.m16n8k32.f32.e4m3", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32",
     "sm90.mma.e4m3", "e4m3", "e4m3", "f32", 16, 8, 32, registers},
    {"mma.m16n8k16.f32.e4m3xe5m2", "mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32",
     "sm90.mma.e4m3xe5m2.k16", "e4m3", "e5m2", "f32", 16, 8, 16, registers},
    {"mma.m16n8k32.f32.e4m3xe5m2", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32",
     "sm90.mma.e4m3xe5m2", "e4m3", "e5m2", "f32", 16, 8, 32, registers},
    {"mma.m16n8k16.f32.e5m2xe4m3", "mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e4m3.f32",
     "sm90.mma.e5m2xe4m3.k16", "e5m2", "e4m3", "f32", 16, 8, 16, registers},
    {"mma.m16n8k32.f32.e5m2xe4m3", "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32",
     "sm90.mma.e5m2xe4m3", "e5m2", "e4m3", "f32", 16, 8, 32, registers},
    {"mma.m16n8k16.f32.e5m2", "mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e5m2.f32",
     "sm90.mma.e5m2.k16", "e5m2", "e5m2", "f32", 16, 8, 16, registers},
    {"mma.m16n8k32.f32.e5m2", "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32",
     "sm90.mma.e5m2", "e5m2", "e5m2", "f32", 16, 8, 32, registers},
    {"mma.m16n8k16.f16.e4m3", "mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e4m3.f16",
     "sm90.mma.e4m3.k16.acc16", "e4m3", "e4m3", "f16", 16, 8, 16, registers},
    {"mma.m16n8k32.f16.e4m3", "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16",
     "sm90.mma.e4m3.acc16", "e4m3", "e4m3", "f16", 16, 8, 32, registers},
    {"mma.m16n8k16.f16.e4m3xe5m2", "mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e5m2.f16",
     "sm90.mma.e4m3xe5m2.k16.acc16", "e4m3", "e5m2", "f16", 16, 8, 16, registers},
    {"mma.m16n8k32.f16.e4m3xe5m2", "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16",
     "sm90.mma.e4m3xe5m2.acc16", "e4m3", "e5m2", "f16", 16, 8, 32, registers},
    {"mma.m16n8k16.f16.e5m2xe4m3", "mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e4m3.f16",
     "sm90.mma.e5m2xe4m3.k16.acc16", "e5m2", "e4m3", "f16", 16, 8, 16, registers},
    {"mma.m16n8k32.f16.e5m2xe4m3", "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e4m3.f16",
     "sm90.mma.e5m2xe4m3.acc16", "e5m2", "e4m3", "f16", 16, 8, 32, registers},
    {"mma.m16n8k16.f16.e5m2", "mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e5m2.f16",
     "sm90.mma.e5m2.k16.acc16", "e5m2", "e5m2", "f16", 16, 8, 16, registers},
    {"mma.m16n8k32.f16.e5m2", "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e5m2.f16",
     "sm90.mma.e5m2.acc16", "e5m2", "e5m2", "f16", 16, 8, 32, registers},
    {"mma.m8n8k4.f64", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", "sm90.mma.f64.k4", "f64",
     "f64", "f64", 8, 8, 4, registers},
    {"mma.m16n8k4.f64", "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", "sm90.mma.f64.k4",
     "f64", "f64", "f64", 16, 8, 4, registers},
    {"mma.m16n8k8.f64", "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", "sm90.mma.f64.k8",
     "f64", "f64", "f64", 16, 8, 8, registers},
    {"mma.m16n8k16.f64", "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", "sm90.mma.f64", "f64",
     "f64", "f64", 16, 8, 16, registers},
    {"mma.m8n8k4.f64.rz", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64.rz", "sm90.mma.f64.rz",
     "f64", "f64", "f64", 8, 8, 4, registers},
    {"mma.m8n8k4.f64.rm", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64.rm", "sm90.mma.f64.rd",
     "f64", "f64", "f64", 8, 8, 4, registers},
    {"mma.m8n8k4.f64.rp", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64.rp", "sm90.mma.f64.ru",
     "f64", "f64", "f64", 8, 8, 4, registers},
    {"mma.m16n8k16.f64.rz", "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64.rz",
     "sm90.mma.f64.rz", "f64", "f64", "f64", 16, 8, 16, registers},
    {"mma.m16n8k16.f64.rm", "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64.rm",
     "sm90.mma.f64.rd", "f64", "f64", "f64", 16, 8, 16, registers},
    {"mma.m16n8k16.f64.rp", "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64.rp",
     "sm90.mma.f64.ru", "f64", "f64", "f64", 16, 8, 16, registers},
    {"wgmma.m64n8k16.f32.f16", "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16",
     "sm90.wgmma.f16", "f16", "f16", "f32", 64, 8, 16, shared},
    {"wgmma.m64n8k16.f16.f16", "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16",
     "sm90.wgmma.f16.acc16", "f16", "f16", "f16", 64, 8, 16, shared},
    {"wgmma.m64n8k16.f32.bf16", "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16",
     "sm90.wgmma.bf16", "bf16", "bf16", "f32", 64, 8, 16, shared},
    {"wgmma.m64n64k16.f32.bf16", "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16",
     "sm90.wgmma.bf16", "bf16", "bf16", "f32", 64, 64, 16, shared},
    {"wgmma.m64n8k8.f32.tf32", "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32",
     "sm90.wgmma.tf32", "tf32", "tf32", "f32", 64, 8, 8, shared},
    {"wgmma.m64n8k32.f32.e4m3", "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3",
     "sm90.wgmma.e4m3", "e4m3", "e4m3", "f32", 64, 8, 32, shared},
    {"wgmma.m64n64k32.f32.e4m3", "wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3",
     "sm90.wgmma.e4m3", "e4m3", "e4m3", "f32", 64, 64, 32, shared},
    {"wgmma.m64n8k32.f32.e4m3xe5m2", "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2",
     "sm90.wgmma.e4m3xe5m2", "e4m3", "e5m2", "f32", 64, 8, 32, shared},
    {"wgmma.m64n8k32.f32.e5m2xe4m3", "wgmma.mma_async.sync.aligned.m64n8k32.f32.e5m2.e4m3",
     "sm90.wgmma.e5m2xe4m3", "e5m2", "e4m3", "f32", 64, 8, 32, shared},
    {"wgmma.m64n8k32.f32.e5m2", "wgmma.mma_async.sync.aligned.m64n8k32.f32.e5m2.e5m2",
     "sm90.wgmma.e5m2", "e5m2", "e5m2", "f32", 64, 8, 32, shared},
    {"wgmma.m64n8k32.f16.e4m3", "wgmma.mma_async.sync.aligned.m64n8k32.f16.e4m3.e4m3",
     "sm90.wgmma.e4m3.acc16", "e4m3", "e4m3", "f16", 64, 8, 32, shared},
    {"wgmma.m64n8k32.f16.e4m3xe5m2", "wgmma.mma_async.sync.aligned.m64n8k32.f16.e4m3.e5m2",
     "sm90.wgmma.e4m3xe5m2.acc16", "e4m3", "e5m2", "f16", 64, 8, 32, shared},
    {"wgmma.m64n8k32.f16.e5m2xe4m3", "wgmma.mma_async.sync.aligned.m64n8k32.f16.e5m2.e4m3",
     "sm90.wgmma.e5m2xe4m3.acc16", "e5m2", "e4m3", "f16", 64, 8, 32, shared},
    {"wgmma.m64n8k32.f16.e5m2", "wgmma.mma_async.sync.aligned.m64n8k32.f16.e5m2.e5m2",
     "sm90.wgmma.e5m2.acc16", "e5m2", "e5m2", "f16", 64, 8, 32, shared},
    {"wgmma.m64n8k16.f32.f16.rs", "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16",
     "sm90.wgmma.f16", "f16", "f16", "f32", 64, 8, 16, registers},
    {"wgmma.m64n8k16.f16.f16.rs", "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16",
     "sm90.wgmma.f16.acc16", "f16", "f16", "f16", 64, 8, 16, registers},
    {"wgmma.m64n8k16.f32.bf16.rs", "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16",
     "sm90.wgmma.bf16", "bf16", "bf16", "f32", 64, 8, 16, registers},
    {"wgmma.m64n8k8.f32.tf32.rs", "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32",
     "sm90.wgmma.tf32", "tf32", "tf32", "f32", 64, 8, 8, registers},
    {"wgmma.m64n8k32.f32.e4m3.rs", "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3",
     "sm90.wgmma.e4m3", "e4m3", "e4m3", "f32", 64, 8, 32, registers},
    {"wgmma.m64n8k32.f32.e4m3xe5m2.rs", "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2",
     "sm90.wgmma.e4m3xe5m2", "e4m3", "e5m2", "f32", 64, 8, 32, registers},
    {"wgmma.m64n8k32.f32.e5m2xe4m3.rs", "wgmma.mma_async.sync.aligned.m64n8k32.f32.e5m2.e4m3",
     "sm90.wgmma.e5m2xe4m3", "e5m2", "e4m3", "f32", 64, 8, 32, registers},
    {"wgmma.m64n8k32.f32.e5m2.rs", "wgmma.mma_async.sync.aligned.m64n8k32.f32.e5m2.e5m2",
     "sm90.wgmma.e5m2", "e5m2", "e5m2", "f32", 64, 8, 32, registers},
    {"wgmma.m64n8k32.f16.e4m3.rs", "wgmma.mma_async.sync.aligned.m64n8k32.f16.e4m3.e4m3",
     "sm90.wgmma.e4m3.acc16", "e4m3", "e4m3", "f16", 64, 8, 32, registers},
    {"wgmma.m64n8k32.f16.e4m3xe5m2.rs", "wgmma.mma_async.sync.aligned.m64n8k32.f16.e4m3.e5m2",
     "sm90.wgmma.e4m3xe5m2.acc16", "e4m3", "e5m2", "f16", 64, 8, 32, registers},
    {"wgmma.m64n8k32.f16.e5m2xe4m3.rs", "wgmma.mma_async.sync.aligned.m64n8k32.f16.e5m2.e4m3",
     "sm90.wgmma.e5m2xe4m3.acc16", "e5m2", "e4m3", "f16", 64, 8, 32, registers},
    {"wgmma.m64n8k32.f16.e5m2.rs", "wgmma.mma_async.sync.aligned.m64n8k32.f16.e5m2.e5m2",
     "sm90.wgmma.e5m2.acc16", "e5m2", "e5m2", "f16", 64, 8, 32, registers},
});
}  // namespace detail

/// Every instruction, in the order of tables.
inline constexpr const auto& instruction_table = detail::instructions;

/// The row of that name, or null.
constexpr const MatrixInstruction* find_instruction(std::string_view name) {
  for (const MatrixInstruction& row : instruction_table)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace whybits::gpu
