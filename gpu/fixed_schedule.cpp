#include "gpu/fixed_schedule.hpp"

#include <array>
#include <cmath>

#include "sim/ceil_div.hpp"

namespace whybits::gpu {
namespace {

/// Up to last_m rows of a layer.
struct Row {
  std::uint64_t n, k, last_m;
  std::uint64_t block_m, block_n, block_k, stages, cluster, together, group_m;
  std::uint64_t fetch, blocks;  ///< blocks of a multiprocessor; 0: split = cluster
  const char* split;
  std::uint64_t once;
};

constexpr const char *cluster = "cluster", *last = "last_arrival", *running = "running";
constexpr std::uint64_t any_m = ~std::uint64_t{0};

// Timed at the last_m of each row (any_m: at 4096) by `whybits-price tune` on an H200, driver
// 580.159.04, CUDA 13.0, 1 December 2026.
constexpr auto rows = std::to_array<Row>({
    {4096, 14336, 1, 8, 64, 256, 6, 1, 2, 8, 0, 0, cluster, 1},
    {4096, 14336, 8, 16, 64, 256, 5, 1, 2, 8, 0, 0, cluster, 1},
    {4096, 14336, 16, 16, 64, 256, 5, 1, 2, 16, 0, 0, cluster, 1},
    {4096, 14336, 32, 32, 64, 256, 4, 1, 2, 8, 0, 0, cluster, 1},
    {4096, 14336, 64, 64, 64, 128, 6, 1, 2, 8, 0, 0, cluster, 1},
    {4096, 14336, 96, 128, 128, 64, 6, 1, 1, 4, 256, 1, last, 1},
    {4096, 14336, 128, 128, 128, 64, 6, 1, 1, 8, 256, 1, last, 1},
    {4096, 14336, 192, 192, 128, 64, 4, 1, 1, 8, 256, 1, last, 1},
    {4096, 14336, 256, 256, 128, 64, 4, 1, 1, 4, 0, 1, last, 1},
    {4096, 14336, 384, 192, 64, 64, 6, 1, 1, 4, 0, 1, running, 0},
    {4096, 14336, 512, 128, 128, 128, 3, 1, 1, 4, 256, 1, running, 1},
    {4096, 14336, 768, 192, 128, 64, 4, 1, 1, 4, 0, 1, running, 0},
    {4096, 14336, 1024, 256, 128, 64, 4, 1, 1, 8, 0, 1, running, 1},
    {4096, 14336, 1536, 192, 128, 64, 4, 1, 1, 4, 256, 1, running, 0},
    {4096, 14336, 2048, 256, 128, 64, 4, 2, 1, 4, 0, 1, running, 1},
    {4096, 14336, 3072, 192, 128, 64, 4, 1, 1, 4, 0, 1, running, 0},
    {4096, 14336, any_m, 256, 128, 64, 4, 1, 1, 4, 0, 1, running, 1},

    {6144, 4096, 8, 8, 64, 128, 4, 1, 1, 4, 0, 0, cluster, 1},
    {6144, 4096, 16, 16, 128, 256, 3, 1, 1, 8, 0, 0, cluster, 1},
    {6144, 4096, 32, 32, 64, 256, 4, 1, 1, 8, 0, 1, running, 1},
    {6144, 4096, 64, 64, 128, 128, 4, 1, 1, 8, 0, 0, cluster, 1},
    {6144, 4096, 96, 64, 128, 128, 4, 1, 1, 8, 256, 1, running, 1},
    {6144, 4096, 128, 128, 128, 64, 7, 1, 1, 8, 0, 0, cluster, 1},
    {6144, 4096, 192, 192, 64, 64, 6, 1, 1, 8, 256, 1, running, 1},
    {6144, 4096, 256, 256, 128, 64, 4, 1, 1, 4, 0, 0, cluster, 1},
    {6144, 4096, 384, 192, 128, 64, 4, 1, 1, 8, 256, 1, running, 1},
    {6144, 4096, 512, 256, 128, 64, 4, 1, 1, 8, 0, 1, running, 1},
    {6144, 4096, 768, 192, 128, 64, 4, 1, 1, 4, 0, 1, running, 1},
    {6144, 4096, 1024, 128, 128, 64, 6, 1, 1, 8, 256, 1, running, 1},
    {6144, 4096, 1536, 192, 128, 64, 4, 1, 1, 8, 0, 1, running, 1},
    {6144, 4096, 2048, 192, 128, 64, 4, 1, 1, 16, 0, 1, running, 1},
    {6144, 4096, any_m, 192, 128, 64, 4, 1, 1, 8, 256, 1, running, 0},

    {4096, 4096, 1, 8, 64, 128, 12, 1, 1, 8, 0, 0, cluster, 1},
    {4096, 4096, 8, 16, 64, 128, 5, 1, 1, 16, 0, 0, cluster, 1},
    {4096, 4096, 16, 16, 64, 128, 5, 1, 1, 4, 0, 0, cluster, 1},
    {4096, 4096, 32, 32, 64, 256, 4, 1, 1, 16, 0, 0, cluster, 1},
    {4096, 4096, 48, 64, 64, 128, 7, 1, 1, 16, 0, 0, cluster, 1},
    {4096, 4096, 64, 64, 64, 128, 7, 1, 1, 8, 0, 0, cluster, 1},
    {4096, 4096, 96, 64, 128, 128, 4, 1, 1, 8, 256, 1, last, 1},
    {4096, 4096, 128, 128, 64, 128, 4, 1, 1, 8, 256, 0, cluster, 1},
    {4096, 4096, 192, 64, 128, 128, 4, 1, 1, 16, 256, 1, running, 1},
    {4096, 4096, 256, 128, 128, 64, 7, 1, 1, 16, 0, 0, cluster, 1},
    {4096, 4096, 384, 192, 64, 64, 6, 1, 1, 8, 256, 1, running, 1},
    {4096, 4096, 512, 128, 128, 128, 3, 1, 1, 8, 256, 1, running, 1},
    {4096, 4096, 768, 192, 128, 64, 4, 1, 1, 4, 256, 1, running, 1},
    {4096, 4096, 1024, 256, 128, 64, 4, 1, 1, 8, 0, 1, running, 1},
    {4096, 4096, 1536, 192, 128, 64, 4, 1, 1, 8, 256, 1, running, 1},
    {4096, 4096, 2048, 256, 128, 64, 4, 1, 1, 16, 256, 1, running, 1},
    {4096, 4096, 3072, 192, 128, 64, 4, 1, 1, 8, 0, 1, running, 1},
    {4096, 4096, any_m, 256, 128, 64, 4, 1, 1, 4, 256, 1, running, 1},

    {28672, 4096, 1, 8, 128, 128, 3, 1, 1, 4, 0, 2, running, 1},
    {28672, 4096, 16, 16, 128, 256, 3, 1, 1, 8, 0, 1, running, 1},
    {28672, 4096, 32, 32, 64, 128, 4, 1, 1, 8, 0, 2, running, 1},
    {28672, 4096, 48, 64, 128, 128, 4, 1, 1, 16, 0, 1, running, 0},
    {28672, 4096, 64, 64, 128, 128, 4, 1, 1, 8, 0, 1, running, 1},
    {28672, 4096, 96, 128, 128, 64, 6, 1, 1, 8, 256, 1, running, 1},
    {28672, 4096, 128, 128, 128, 64, 6, 1, 1, 16, 0, 1, running, 1},
    {28672, 4096, 192, 192, 128, 64, 4, 1, 1, 8, 256, 1, running, 1},
    {28672, 4096, 256, 256, 128, 64, 4, 1, 1, 8, 256, 1, running, 1},
    {28672, 4096, 384, 192, 128, 64, 4, 1, 1, 4, 0, 1, running, 0},
    {28672, 4096, 512, 128, 128, 128, 3, 1, 1, 8, 256, 1, running, 1},
    {28672, 4096, 1024, 256, 128, 64, 4, 1, 1, 4, 0, 1, running, 0},
    {28672, 4096, 2048, 192, 128, 64, 4, 1, 1, 8, 0, 1, running, 0},
    {28672, 4096, any_m, 192, 128, 64, 4, 1, 1, 8, 256, 1, running, 1},
});

/// How far a layer is from a shape: a measured layer itself is at 0.
double distance(const Row& row, const Shape& shape) {
  const auto logarithm = [](std::uint64_t x) { return std::log2(static_cast<double>(x)); };
  return std::abs(logarithm(row.n) - logarithm(shape.n)) +
         std::abs(logarithm(row.k) - logarithm(shape.k)) / 16;
}

}  // namespace

LaunchParams fixed_usual() {
  LaunchParams p;
  p.split = "running";
  p.block_k = 64;
  p.longest_slice = fixed_longest_slice;
  return p;
}

LaunchParams fixed_schedule(const Shape& shape, std::uint64_t multiprocessors) {
  const Row* best = nullptr;
  for (const Row& row : rows)
    if (shape.m <= row.last_m && (!best || distance(row, shape) < distance(*best, shape)))
      best = &row;
  LaunchParams p = fixed_usual();
  p.instruction = "bf16";
  p.output = "bf16";
  p.block_m = best->block_m;
  p.block_n = best->block_n;
  p.block_k = best->block_k;
  p.stages = best->stages;
  p.cluster = best->cluster;
  p.together = best->together;
  p.group_m = best->group_m;
  p.fetch = best->fetch;
  p.once = best->once;
  p.split = best->split;
  constexpr std::uint64_t most_in_cluster = 8;
  if (p.split == cluster && ceil_div(shape.k, p.longest_slice) > most_in_cluster) {
    p.split = running;
    p.together = 1;
  }
  if (p.split != cluster) p.ctas = multiprocessors * best->blocks / p.cluster * p.cluster;
  return p;
}

FixedShared fixed_shared(const LaunchParams& p) {
  constexpr std::uint64_t operand_bytes = 2, barriers = 16;
  const std::uint64_t panels = (p.block_m + p.block_n) * p.block_k * operand_bytes;
  const std::uint64_t partial = p.block_m * (p.block_n + 4) * 4;
  const std::uint64_t rows_out = p.block_m > 128 ? p.block_m / 2 : p.block_m;  // at once
  return {panels, panels + barriers, partial,
          p.split == cluster ? (p.together - 1) * partial : rows_out * p.block_n * 2};
}

}  // namespace whybits::gpu
