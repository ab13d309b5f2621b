// The kernel table needs no GPU: what rows claim, what they refuse, and how knobs are proved.
#include <algorithm>

#include "gpu/kernel_table.hpp"
#include "gpu/probe.hpp"
#include "sim/notation.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using namespace whybits::gpu;
using whybits::test::contains;

namespace {

LaunchParams bf16_tiles() {
  LaunchParams params;
  params.instruction = "bf16";
  params.block_m = 32;
  params.block_n = 16;
  params.block_k = 32;
  params.group_m = 2;
  params.warps = 2;
  params.stages = 2;
  return params;
}

const Kernel& kernel(const char* name) {
  const Kernel* found = find_kernel(name);
  REQUIRE(found != nullptr);
  return *found;
}

std::string claimed(const char* name, const LaunchParams& params, const Shape& shape) {
  const Kernel& row = kernel(name);
  const Claim claim = row.claim(row, params, shape, "sm90");
  return claim.topology ? print(*claim.topology) : print(claim.map);
}

/// A faithful log of mma.gemm, from a reading of its own: tiles down the columns of groups.
std::vector<ProbeRecord> faithful_log(const LaunchParams& p, const Shape& shape) {
  std::vector<ProbeRecord> log;
  std::uint32_t cta = 0;
  const auto tiles_m = (shape.m + p.block_m - 1) / p.block_m;
  const auto tiles_n = (shape.n + p.block_n - 1) / p.block_n;
  for (std::uint64_t pid = 0; pid < tiles_m * tiles_n; ++pid, ++cta) {
    const std::uint64_t in_group = p.group_m * tiles_n, first = pid / in_group * p.group_m;
    const std::uint64_t height = std::min(tiles_m - first, p.group_m);
    const std::uint64_t row = (first + pid % in_group % height) * p.block_m;
    const std::uint64_t column = pid % in_group / height * p.block_n;
    for (std::uint64_t k = 0, i = 0; k < shape.k; k += p.block_k, ++i)
      for (std::uint32_t warp = 0; warp < p.warps; ++warp) {
        const std::uint64_t steps = (std::min(p.block_k, shape.k - k) + 15) / 16;
        const std::uint64_t blocks = p.block_m / 16 * (p.block_n / 8);
        log.push_back({cta, static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column), 0,
                       static_cast<std::uint32_t>(k),
                       static_cast<std::uint32_t>(i % p.stages * 4096), warp,
                       static_cast<std::uint32_t>(blocks / p.warps * steps)});
      }
  }
  return log;
}

}  // namespace

TEST_CASE("every kernel can be launched with its usual parameters") {
  for (const Kernel& row : kernel_table()) {
    CAPTURE(row.name);
    LaunchParams params = row.usual;
    params.instruction = row.instructions.front().name;
    const Shape shape{64, row.computation == Computation::gemm ? 64u : 1u, 256};
    CHECK_NOTHROW(row.check(row, params, shape));
  }
}

TEST_CASE("each row of the kernel table is complete") {
  for (const Kernel& row : kernel_table()) {
    CAPTURE(row.name);
    CHECK_FALSE(row.summary.empty());
    CHECK_FALSE(row.instructions.empty());
    CHECK(row.has_knob("instruction"));
    for (const std::string_view knob : row.knobs) CHECK(find_knob(knob) != nullptr);
  }
}

TEST_CASE("a kernel claims the topology of its parameters") {
  LaunchParams params = bf16_tiles();
  const Shape shape{100, 50, 1000};
  CHECK(claimed("mma.gemm", params, shape) == "fold(sm90.mma.bf16)");
  params.output = "bf16";
  params.splits = 3;
  CHECK(claimed("mma.gemm", params, shape) == "slices(384, fold(sm90.mma.bf16), fold(f32)) > bf16");
  params.split = "serial";
  CHECK(claimed("mma.gemm", params, shape) ==
        "slices(384, fold(sm90.mma.bf16), fold(f32 > bf16)) > bf16");
  params = bf16_tiles();
  params.block_k = 24;  // every k tile ends in a short step
  CHECK(claimed("mma.gemm", params, shape) == "slices(24, fold(sm90.mma.bf16), chain)");
  params = bf16_tiles();
  params.split = "stream_k";
  params.ctas = 2;
  CHECK(claimed("mma.gemm", params, {64, 16, 48}) == "fold(sm90.mma.bf16)");
  params.ctas = 3;  // two tiles of two k tiles: shares of 2, 1, 1
  CHECK(claimed("mma.gemm", params, {64, 16, 48}) ==
        "{ [0,512): fold(sm90.mma.bf16); "
        "[512,1024): cut(32, fold(sm90.mma.bf16), fold(f32)) }");
}

TEST_CASE("what a kernel cannot be launched with is refused by name") {
  const Kernel& mma = kernel("mma.gemm");
  const Shape shape{100, 50, 1000};
  const auto refused = [&](auto change, const std::string& message) {
    LaunchParams params = bf16_tiles();
    change(params);
    CAPTURE(message);
    CHECK_THROWS_WITH(mma.check(mma, params, shape), contains(message));
  };
  refused([](LaunchParams& p) { p.instruction = "bf17"; }, "instruction = 'bf17': mma.gemm has");
  refused([](LaunchParams& p) { p.block_m = 24; }, "block_m = 24: must be a multiple of 16");
  refused([](LaunchParams& p) { p.block_k = 20; }, "block_k = 20: must be a multiple of 8");
  refused([](LaunchParams& p) { p.stages = 0; }, "stages = 0: must be from 1 to 24");
  refused([](LaunchParams& p) { p.warps = 1, p.block_m = 512; }, "warps = 1: each would hold 64");
  refused([](LaunchParams& p) { p.block_m = p.block_n = 512, p.warps = 32; }, "warps = 32");
  refused([](LaunchParams& p) { p.split = "best"; }, "split = 'best'");
  refused([](LaunchParams& p) { p.output = "f64"; }, "output = 'f64'");
  refused([](LaunchParams& p) { p.splits = 2, p.split_grain = 8; }, "split_grain = 8");
  refused([](LaunchParams& p) { p.split = "stream_k", p.ctas = 133; }, "ctas = 133");
  refused([](LaunchParams& p) { p.split = "atomic", p.splits = 2, p.output = "bf16"; },
          "output = 'bf16': atomics add f32");
  refused([](LaunchParams& p) { p.instruction = "f16.acc16"; }, "output = 'f32'");
  refused([](LaunchParams& p) { p.stages = 24, p.block_k = 512; }, "shared memory");
  const Kernel& simt = kernel("simt.gemm");
  LaunchParams tiny;
  tiny.instruction = "f32.fma";
  tiny.block_m = tiny.block_n = 1;
  CHECK_THROWS_WITH(simt.check(simt, tiny, {4096, 4096, 8}), contains("16777216 tiles"));
}

TEST_CASE("a faithful log proves every knob, a log of other parameters is refused") {
  const Kernel& mma = kernel("mma.gemm");
  const LaunchParams params = bf16_tiles();
  const Shape shape{200, 40, 200};
  const std::vector<ProbeRecord> log = faithful_log(params, shape);
  const ProbeSummary summary = check_probe(mma, params, shape, log);
  CHECK(summary.tiles == 7 * 3);
  CHECK(summary.warps == 2);
  CHECK(summary.stages == 2);

  const auto refused = [&](std::uint64_t LaunchParams::* knob, std::uint64_t value) {
    LaunchParams other = params;
    other.*knob = value;
    CAPTURE(value);
    CHECK_THROWS_AS(check_probe(mma, other, shape, log), ProbeError);
    CHECK_THROWS_AS(check_probe(mma, params, shape, faithful_log(other, shape)), ProbeError);
  };
  refused(&LaunchParams::block_m, 64);
  refused(&LaunchParams::block_n, 8);
  refused(&LaunchParams::block_k, 16);
  refused(&LaunchParams::group_m, 3);
  refused(&LaunchParams::warps, 4);
  refused(&LaunchParams::stages, 3);

  std::vector<ProbeRecord> changed = log;
  changed.pop_back();
  CHECK_THROWS_AS(check_probe(mma, params, shape, changed), ProbeError);
  changed = log;
  ++changed[5].instructions;
  CHECK_THROWS_AS(check_probe(mma, params, shape, changed), ProbeError);
}
