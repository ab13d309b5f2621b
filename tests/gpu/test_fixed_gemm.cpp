// fixed.gemm without a GPU: its claim reads K alone, its schedules can be launched, its log proves
// which block had which slice.
#include <algorithm>
#include <map>

#include "gpu/fixed_schedule.hpp"
#include "gpu/kernel_table.hpp"
#include "gpu/probe.hpp"
#include "sim/notation.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using namespace whybits::gpu;
using whybits::test::contains;

namespace {

const Kernel& fixed() {
  return *find_kernel("fixed.gemm");
}

LaunchParams small_tiles(const char* split) {
  LaunchParams p = fixed_usual();
  p.instruction = "bf16";
  p.split = split;
  p.block_m = 32;
  p.block_k = 128;
  p.stages = 2;
  p.group_m = 2;
  p.longest_slice = 128;
  return p;
}

/// The log of a schedule, from a reading of its own: clusters of blocks walk wide tiles.
std::vector<ProbeRecord> faithful_log(const LaunchParams& p, const Shape& shape) {
  std::vector<ProbeRecord> log;
  const std::uint64_t parts = (shape.k + p.longest_slice - 1) / p.longest_slice;
  const std::uint64_t width = p.block_n * p.cluster;
  const std::uint64_t wide = (shape.n + width - 1) / width;
  const std::uint64_t high = (shape.m + p.block_m - 1) / p.block_m;
  std::map<std::uint64_t, std::uint64_t> k_tiles;  // of a block so far
  for (std::uint64_t part = 0; part < parts; ++part)
    for (std::uint64_t t = 0; t < wide * high; ++t)
      for (std::uint64_t rank = 0; rank < p.cluster; ++rank) {
        const std::uint64_t first = t / (p.group_m * wide) * p.group_m;
        const std::uint64_t height = std::min(high - first, p.group_m);
        const std::uint64_t within = t % (p.group_m * wide);
        const std::uint64_t column = within / height * width + rank * p.block_n;
        if (column >= shape.n) continue;
        std::uint64_t place = t;
        if (p.split == "cluster")
          place = t * ((parts + p.together - 1) / p.together) + part / p.together;
        if (p.split == "last_arrival") place = part * wide * high + t;
        if (p.ctas != 0) place %= p.ctas / p.cluster;
        const auto cta = static_cast<std::uint32_t>(place * p.cluster + rank);
        for (std::uint64_t k = part * p.longest_slice;
             k < std::min(shape.k, (part + 1) * p.longest_slice); k += p.block_k) {
          const std::uint64_t left = std::min(shape.k, (part + 1) * p.longest_slice) - k;
          const std::uint64_t steps = (std::min(left, p.block_k) + 63) / 64 * 4;
          const std::uint64_t stage = k_tiles[cta]++ % p.stages;
          for (std::uint32_t warp = 0; warp < p.block_n / 16; ++warp)
            log.push_back({cta, static_cast<std::uint32_t>((first + within % height) * p.block_m),
                           static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(part),
                           static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(stage * 4096),
                           warp, static_cast<std::uint32_t>(steps)});
        }
      }
  return log;
}

}  // namespace

TEST_CASE("the tree of fixed.gemm depends on K alone: the same for every batch and schedule") {
  for (const auto& [k, tree] :
       {std::pair{14336, "slices(3584, fold(sm90.wgmma.bf16), fold(f32)) > bf16"},
        {4096, "slices(2048, fold(sm90.wgmma.bf16), fold(f32)) > bf16"},
        {3584, "fold(sm90.wgmma.bf16) > bf16"},
        {3585, "slices(1856, fold(sm90.wgmma.bf16), fold(f32)) > bf16"}})
    for (const std::uint64_t n : {8u, 4096u, 6144u, 28672u})
      for (const std::uint64_t m : {1u, 7u, 64u, 65u, 100u, 128u, 1000u, 4096u}) {
        const Shape shape{m, n, static_cast<std::uint64_t>(k)};
        CAPTURE(m, n, k);
        const Claim claim = fixed().claim(fixed(), fixed_schedule(shape, 132), shape, "sm90");
        CHECK(print(*claim.topology) == tree);
      }
}

TEST_CASE("the schedule of every shape can be launched on a device of any size") {
  for (const std::uint64_t multiprocessors : {1u, 114u, 132u})
    for (const std::uint64_t k : {1u, 100u, 4096u, 14336u, 40000u})
      for (const std::uint64_t n : {1u, 777u, 4096u, 25000u})
        for (const std::uint64_t m : {1u, 9u, 33u, 65u, 129u, 4097u}) {
          const Shape shape{m, n, k};
          CAPTURE(m, n, k);
          CHECK_NOTHROW(fixed().check(fixed(), fixed_schedule(shape, multiprocessors), shape));
        }
}

TEST_CASE("fixed.gemm refuses by name what it was not compiled for") {
  const Shape shape{100, 50, 1000};
  const auto refused = [&](auto change, const std::string& message) {
    LaunchParams p = small_tiles("running");
    change(p);
    CAPTURE(message);
    CHECK_THROWS_WITH(fixed().check(fixed(), p, shape), contains(message));
  };
  CHECK_NOTHROW(fixed().check(fixed(), small_tiles("running"), shape));
  CHECK_NOTHROW(fixed().check(fixed(), small_tiles("cluster"), shape));
  refused([](LaunchParams& p) { p.split = "serial"; }, "split = 'serial'");
  refused([](LaunchParams& p) { p.block_m = 48; }, "block_m = 48: compiled are 8, 16, 32");
  refused([](LaunchParams& p) { p.split = "last_arrival", p.block_m = 16; }, "block_m = 16");
  refused([](LaunchParams& p) { p.block_n = 32; }, "block_n = 32: compiled are 64, 128");
  refused([](LaunchParams& p) { p.longest_slice = 100; }, "longest_slice = 100");
  refused([](LaunchParams& p) { p.longest_slice = 0; }, "longest_slice = 0");
  refused([](LaunchParams& p) { p.split = "cluster", p.longest_slice = 64; }, "at most 8 blocks");
  refused([](LaunchParams& p) { p.split = "cluster", p.cluster = 2; },
          "a cluster has at most 8 blocks, these slices make it 16");
  refused([](LaunchParams& p) { p.split = "cluster", p.together = 0; }, "together = 0");
  refused([](LaunchParams& p) { p.split = "cluster", p.together = 9; }, "together = 9");
  refused([](LaunchParams& p) { p.split = "cluster", p.together = 8, p.stages = 8; },
          "shared memory");
  refused([](LaunchParams& p) { p.together = 2; }, "together = 2: only split = cluster");
  refused([](LaunchParams& p) { p.block_m = 8, p.cluster = 2; }, "cluster = 2");
  refused([](LaunchParams& p) { p.cluster = 2, p.ctas = 5; }, "ctas = 5: must be whole clusters");
  refused([](LaunchParams& p) { p.stages = 12; }, "shared memory");
  refused([](LaunchParams& p) { p.output = "f64"; }, "output = 'f64'");
}

TEST_CASE("a faithful log of fixed.gemm proves its schedule, a log of another is refused") {
  const Shape shape{70, 203, 500};
  const auto with = [](const char* split, std::uint64_t cluster, std::uint64_t ctas,
                       std::uint64_t together = 1) {
    LaunchParams p = small_tiles(split);
    p.cluster = cluster;
    p.ctas = ctas;
    p.together = together;
    return p;
  };
  for (const LaunchParams& params :
       {with("running", 1, 0), with("running", 2, 4), with("last_arrival", 2, 0),
        with("last_arrival", 1, 6), with("cluster", 1, 0), with("cluster", 1, 0, 3),
        with("cluster", 2, 0, 2), with("cluster", 2, 0, 4)}) {
    CAPTURE(params.split, params.cluster, params.ctas, params.together);
    const std::vector<ProbeRecord> log = faithful_log(params, shape);
    const ProbeSummary summary = check_probe(fixed(), params, shape, log);
    CHECK(summary.tiles == 3 * 4);
    CHECK(summary.parts == 4);
    CHECK(summary.warps == 4);
    const auto refused = [&](auto change) {
      LaunchParams other = params;
      change(other);
      CHECK_THROWS_AS(check_probe(fixed(), other, shape, log), ProbeError);
    };
    refused([](LaunchParams& p) { p.block_m = 64; });
    refused([](LaunchParams& p) { p.block_n = 128; });
    refused([](LaunchParams& p) { p.block_k = 64; });
    refused([](LaunchParams& p) { p.longest_slice = 192; });
    refused([](LaunchParams& p) { p.group_m = 1; });
    refused([](LaunchParams& p) {
      p.split = p.split == "cluster" ? "last_arrival" : "cluster";
      p.together = 1;
    });
    if (params.split != "cluster") {
      refused([](LaunchParams& p) { p.ctas += 2; });
      refused([](LaunchParams& p) { p.cluster = 4, p.ctas *= 4; });
    } else {
      refused([](LaunchParams& p) { p.together = p.together == 1 ? 2 : 1, p.cluster = 1; });
    }
  }
}
