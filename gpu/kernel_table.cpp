#include "gpu/kernel_table.hpp"

#include <algorithm>

#include "gpu/fixed_schedule.hpp"
#include "gpu/gemm_claims.hpp"
#include "gpu/sum_claims.hpp"

namespace whybits::gpu {
namespace {

using formats::bf16;
using formats::e4m3;
using formats::e5m2;
using formats::f16;
using formats::f32;
using formats::f64;
using formats::tf32;

constexpr int ada = 89, hopper = 90;

LaunchParams square_tiles(std::uint64_t side) {
  LaunchParams params;
  params.block_m = params.block_n = side;
  return params;
}

std::vector<Kernel> make_table() {
  return {
      {"simt.gemm",
       "f32 on CUDA cores: a chain of fma, or rounded products added; several accumulators",
       Computation::gemm,
       {"instruction", "block_m", "block_n", "block_k", "group_m", "warps", "accumulators",
        "splits", "split_grain", "split", "ctas", "output"},
       {{"f32.fma", f32, f32, f32}, {"f32.mul_add", f32, f32, f32}},
       check_simt_gemm,
       claim_simt_gemm,
       square_tiles(16)},
      {"mma.gemm",
       "mma.sync through a ring of cp.async stages",
       Computation::gemm,
       {"instruction", "block_m", "block_n", "block_k", "group_m", "warps", "stages", "warp_slices",
        "splits", "split_grain", "split", "ctas", "output"},
       {{"f16.k8", f16, f16, f32, 8},
        {"f16", f16, f16, f32, 16},
        {"bf16.k8", bf16, bf16, f32, 8},
        {"bf16", bf16, bf16, f32, 16},
        {"tf32.k4", tf32, tf32, f32, 4},
        {"tf32", tf32, tf32, f32, 8},
        {"f16.k8.acc16", f16, f16, f16, 8},
        {"f16.acc16", f16, f16, f16, 16},
        {"e4m3.k16", e4m3, e4m3, f32, 16, ada},
        {"e4m3", e4m3, e4m3, f32, 32, ada},
        {"e4m3xe5m2", e4m3, e5m2, f32, 32, ada},
        {"e5m2xe4m3", e5m2, e4m3, f32, 32, ada},
        {"e5m2.k16", e5m2, e5m2, f32, 16, ada},
        {"e5m2", e5m2, e5m2, f32, 32, ada},
        {"e4m3.k16.acc16", e4m3, e4m3, f16, 16, ada},
        {"e4m3.acc16", e4m3, e4m3, f16, 32, ada},
        {"e5m2.k16.acc16", e5m2, e5m2, f16, 16, ada},
        {"e5m2.acc16", e5m2, e5m2, f16, 32, ada},
        {"f64.k4", f64, f64, f64, 4, hopper},
        {"f64.k8", f64, f64, f64, 8, hopper},
        {"f64", f64, f64, f64, 16, hopper}},
       check_mma_gemm,
       claim_mma_gemm},
      {"wgmma.gemm",
       "wgmma fed by the bulk tensor engine; persistent if ctas is given",
       Computation::gemm,
       {"instruction", "block_m", "block_n", "block_k", "group_m", "stages", "promotion", "splits",
        "split_grain", "split", "ctas", "output"},
       {{"f16", f16, f16, f32, 16, hopper, hopper},
        {"bf16", bf16, bf16, f32, 16, hopper, hopper},
        {"tf32", tf32, tf32, f32, 8, hopper, hopper},
        {"e4m3", e4m3, e4m3, f32, 32, hopper, hopper},
        {"e4m3xe5m2", e4m3, e5m2, f32, 32, hopper, hopper},
        {"e5m2xe4m3", e5m2, e4m3, f32, 32, hopper, hopper},
        {"e5m2", e5m2, e5m2, f32, 32, hopper, hopper}},
       check_wgmma_gemm,
       claim_wgmma_gemm},
      {"fixed.gemm",
       "wgmma; its tree depends on K alone, its schedule is free",
       Computation::gemm,
       {"instruction", "longest_slice", "split", "block_m", "block_n", "block_k", "group_m",
        "stages", "cluster", "together", "fetch", "once", "ctas", "output"},
       {{"bf16", bf16, bf16, f32, 16, hopper, hopper}},
       check_fixed_gemm,
       claim_fixed_gemm,
       fixed_usual()},
      {"block.sum",
       "row sums by one block of threads: CUB, Triton, shuffles, shared-memory trees",
       Computation::row_sums,
       {"instruction", "warps", "vector", "block_k"},
       {{"cub", f32, f32, f32},
        {"shuffle_up", f32, f32, f32},
        {"butterfly", f32, f32, f32},
        {"triton", f32, f32, f32},
        {"shared_halves", f32, f32, f32},
        {"shared_pairs", f32, f32, f32}},
       check_block_sum,
       claim_block_sum},
      {"atomic.sum",
       "row sums by float atomics of one thread, in index order",
       Computation::row_sums,
       {"instruction"},
       {{"atom_global", f32, f32, f32},
        {"red_global", f32, f32, f32},
        {"atom_shared", f32, f32, f32},
        {"red_shared", f32, f32, f32}},
       check_atomic_sum,
       claim_atomic_sum},
  };
}

}  // namespace

bool Kernel::has_knob(std::string_view knob) const {
  return std::ranges::find(knobs, knob) != knobs.end();
}

const Instruction& Kernel::instruction(const LaunchParams& params) const {
  const auto found = std::ranges::find(instructions, params.instruction, &Instruction::name);
  if (found != instructions.end()) return *found;
  std::string allowed;
  for (const Instruction& one : instructions)
    allowed += (allowed.empty() ? "" : ", ") + std::string(one.name);
  throw ConfigurationError("instruction = '" + params.instruction + "': " + std::string(name) +
                           " has " + allowed);
}

std::span<const Kernel> kernel_table() {
  static const std::vector<Kernel> table = make_table();
  return table;
}

const Kernel* find_kernel(std::string_view name) {
  const auto table = kernel_table();
  const auto found = std::ranges::find(table, name, &Kernel::name);
  return found == table.end() ? nullptr : &*found;
}

std::string architecture_name(int major, int minor) {
  // Rows of the device table; 10.3 computes as 10.0 does, 12.1 as 12.0.
  const int version = major == 8 && minor > 0 ? 80 + minor : major == 7 ? 70 + minor : 10 * major;
  return "sm" + std::to_string(version);
}

Format output_format(const LaunchParams& params) {
  for (const auto& [name, format] :
       {std::pair{"f32", f32}, {"f64", f64}, {"bf16", bf16}, {"f16", f16}})
    if (params.output == name) return format;
  throw ConfigurationError("output = '" + params.output + "': f32, f64, bf16 or f16");
}

}  // namespace whybits::gpu
