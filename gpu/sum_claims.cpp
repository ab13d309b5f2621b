#include "gpu/sum_claims.hpp"

#include <bit>

#include "sim/builders/block_sum.hpp"

namespace whybits::gpu {
namespace {

void check_rows(const Shape& shape) {
  constexpr std::uint64_t most_rows = 1 << 20, most_addends = 1 << 24;
  if (shape.m == 0 || shape.m > most_rows)
    throw ConfigurationError("m", shape.m, "must be from 1 to " + std::to_string(most_rows));
  if (shape.n != 1) throw ConfigurationError("n", shape.n, "a row has one sum: must be 1");
  if (shape.k == 0 || shape.k > most_addends || shape.m * shape.k > (std::uint64_t{1} << 30))
    throw ConfigurationError(
        "k", shape.k,
        "must be from 1 to " + std::to_string(most_addends) + ", all rows together at most 2^30");
}

/// Threads fold their own, then a tree over all threads.
SchemaPtr tree_of_threads(const LaunchParams& p, const SchemaPtr& tree) {
  return schema(
      Lanes{32 * p.warps, p.vector, schema(Fold{ieee_add(formats::f32), Start::zero}), tree});
}

}  // namespace

void check_block_sum(const Kernel& kernel, const LaunchParams& p, const Shape& shape) {
  check_rows(shape);
  kernel.instruction(p);
  if (p.warps == 0 || p.warps > 32)
    throw ConfigurationError("warps", p.warps, "must be from 1 to 32");
  if (p.vector == 0 || p.vector > 16)
    throw ConfigurationError("vector", p.vector, "must be from 1 to 16");
  if (p.instruction == "cub" && p.warps != 4 && p.warps != 8 && p.warps != 16)
    throw ConfigurationError("warps", p.warps, "cub is compiled for 4, 8 and 16");
  if (p.instruction == "shared_halves" && !std::has_single_bit(p.warps))
    throw ConfigurationError("warps", p.warps, "must be a power of two for shared_halves");
  if (p.instruction == "triton" &&
      (!std::has_single_bit(p.block_k) || !std::has_single_bit(p.warps) ||
       !std::has_single_bit(p.vector) || p.block_k < 32 * p.warps * p.vector))
    throw ConfigurationError("block_k", p.block_k,
                             "triton needs powers of two, at least 32 · warps · vector");
}

void check_atomic_sum(const Kernel& kernel, const LaunchParams& p, const Shape& shape) {
  check_rows(shape);
  kernel.instruction(p);
}

Claim claim_block_sum(const Kernel& kernel, const LaunchParams& p, const Shape& shape,
                      std::string_view) {
  check_block_sum(kernel, p, shape);
  const Unit add = ieee_add(formats::f32);
  Claim claim;
  if (p.instruction == "shared_halves") {
    claim.topology = tree_of_threads(p, schema(Halves{add}));
  } else if (p.instruction == "shared_pairs") {
    claim.topology = tree_of_threads(p, schema(Pairs{add}));
  } else if (p.instruction == "triton") {
    TritonSum config;
    config.block = p.block_k;
    config.warps = p.warps;
    config.run = p.vector;
    claim.topology = triton_row_sum(config);
  } else {
    BlockSum config;
    config.threads = 32 * p.warps;
    config.vector = p.vector;
    const bool butterfly = p.instruction == "butterfly";
    config.warp = butterfly ? WarpOrder::down : WarpOrder::up;
    config.totals = butterfly ? WarpTotals::halves : WarpTotals::fold;
    claim.topology = block_sum(config);
  }
  return claim;
}

Claim claim_atomic_sum(const Kernel& kernel, const LaunchParams& p, const Shape& shape,
                       std::string_view) {
  check_atomic_sum(kernel, p, shape);
  RoundRule rule;
  if (p.instruction == "atom_global" || p.instruction == "red_global") rule.flush = Flush::both;
  Claim claim;
  claim.topology = schema(Fold{ieee_add(formats::f32, rule), Start::zero});
  return claim;
}

}  // namespace whybits::gpu
