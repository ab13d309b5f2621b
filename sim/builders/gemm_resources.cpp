#include "sim/builders/gemm_resources.hpp"

namespace whybits {
namespace {

std::uint64_t operand_bytes(const std::optional<Format>& operand, const Unit& unit) {
  return operand.value_or(unit.format).word_bytes();
}

}  // namespace

GemmResources fits_sm90(const GemmConfig& config) {
  check_gemm(config);
  GemmResources need;
  const Unit& unit = config.unit;
  // Warps that slice K hold the whole tile, each group for itself.
  const std::uint64_t threads = config.warps / config.warp_slices * 32;
  const std::uint64_t bits =
      config.block_m * config.block_n * static_cast<std::uint64_t>(unit.format.word_bits());
  need.accumulator_registers = (bits + threads * 32 - 1) / (threads * 32);
  const std::uint64_t stage = (config.block_m * operand_bytes(unit.operand_a, unit) +
                               config.block_n * operand_bytes(unit.operand_b, unit)) *
                              config.block_k;
  need.shared_bytes = stage * config.stages;
  if (need.accumulator_registers > sm90_bounds.registers_per_thread)
    need.problems.push_back(
        "block_m · block_n = " + std::to_string(config.block_m * config.block_n) + " over " +
        std::to_string(threads) + " threads: " + std::to_string(need.accumulator_registers) +
        " accumulator registers a thread, at most " +
        std::to_string(sm90_bounds.registers_per_thread) + "; use more warps or a smaller tile");
  if (need.shared_bytes > sm90_bounds.shared_bytes)
    need.problems.push_back(
        std::to_string(config.stages) + " stages of " + std::to_string(stage) +
        " bytes: " + std::to_string(need.shared_bytes) + " bytes of shared memory, at most " +
        std::to_string(sm90_bounds.shared_bytes) + "; use fewer stages or a smaller tile");
  return need;
}

}  // namespace whybits
