// What GEMM configurations become, held against a kernel written as loops and against orders that
// were measured on an H200 (docs/sources.md).
#include <sstream>

#include "sim/builders/gemm.hpp"
#include "sim/device_table.hpp"
#include "sim/notation.hpp"
#include "sim/run_recipe.hpp"
#include "tests/sim/tiled_gemm.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using namespace whybits::test;
using formats::bf16;
using formats::f32;

namespace {

Tree tree(const std::string& text, std::uint64_t n) {
  return expand(*parse_topology(text), n);
}
Tree tree(const GemmConfig& config, std::uint64_t k) {
  return expand(*gemm_topology(config, k), k);
}

GemmConfig with_unit(const char* unit) {
  GemmConfig config;
  config.unit = parse_unit(unit);
  return config;
}

TiledGemm drawn_gemm(Random& random, const Unit& unit, std::uint64_t m, std::uint64_t n,
                     std::uint64_t k) {
  const bool fma = unit.kind == Unit::Kind::fma;
  TiledGemm gemm{m, n, k, {}, {}, {}, fma ? 1u : 16u, fma ? fma_step : hopper_step};
  const auto fill = [&](std::vector<float>& values, std::uint64_t count) {
    for (const Bits code : bf16_codes(random, count, wide_float))
      values.push_back(bf16_to_float(code));
  };
  fill(gemm.a, m * k);
  fill(gemm.b, k * n);
  fill(gemm.bias, n);
  return gemm;
}

std::vector<Bits> codes(const std::vector<float>& values) {
  std::vector<Bits> result;
  for (const float value : values) result.push_back(float_to_bf16(value));
  return result;
}

std::vector<Bits> emulated(const GemmConfig& config, const TiledGemm& gemm) {
  InputTensors inputs{{"a", input_tensor({gemm.m, gemm.k, bf16}, codes(gemm.a))},
                      {"b", input_tensor({gemm.k, gemm.n, bf16}, codes(gemm.b))}};
  if (config.bias) inputs["bias"] = input_tensor({1, gemm.n, bf16}, codes(gemm.bias));
  return run(gemm_recipe(gemm_topology(config, gemm.k), config.bias), inputs).at("y").codes;
}

std::uint64_t one_of(Random& random, std::initializer_list<std::uint64_t> choices) {
  return std::vector<std::uint64_t>(
      choices)[static_cast<std::size_t>(random.below(choices.size()))];
}

GemmConfig random_config(Random& random, std::uint64_t k) {
  GemmConfig config = with_unit(random.coin() ? "f32.fma" : "sm90.wgmma.bf16");
  config.block_m = 1 + random.below(6);
  config.block_n = 1 + random.below(6);
  config.group_m = 1 + random.below(4);
  config.stages = 1 + random.below(5);
  config.warps = 4;
  config.block_k = one_of(random, {8, 16, 24, 32, 48, 64});
  switch (random.below(5)) {
    case 0:
      config.residue_first = true;
      break;
    case 1:
      config.k_order = KOrder::descending;
      break;
    case 2:
      config.warp_slices = one_of(random, {2, 4});
      break;
    case 3:
      config.promotion = config.block_k % 16 == 0 ? config.block_k * (1 + random.below(3)) : 0;
      break;
    default:
      break;
  }
  switch (random.below(4)) {
    case 0:
      config.splits = 2 + random.below(6);
      config.split_grain = one_of(random, {8, 16, 64});
      break;
    case 1:
      config.split_length = 1 + random.below(k);
      break;
    case 2:
      if (k % config.block_k == 0)
        for (std::uint64_t at = config.block_k; at < k; at += config.block_k)
          if (random.below(3) == 0) config.split_at.push_back(at);
      break;
    default:
      break;
  }
  if (random.coin()) config.output = Conversion{bf16, {}};
  if (config.output) config.scheme = static_cast<SplitScheme>(random.below(4));
  config.bias = config.scheme != SplitScheme::serial && random.coin();
  return config;
}

}  // namespace

TEST_CASE("a configuration's topology computes what the kernel's loops compute, in every bit") {
  for_all(150, [](Random& random) {
    const std::uint64_t k = random.coin() ? 1 + random.below(300) : 48 * (1 + random.below(5));
    const GemmConfig config = random_config(random, k);
    const TiledGemm gemm =
        drawn_gemm(random, config.unit, 1 + random.below(7), 1 + random.below(7), k);
    const SchemaPtr topology = gemm_topology(config, k);
    CAPTURE(k, print(*topology));
    // Printed and read back it is the same tree: recordings and the command line can carry it.
    REQUIRE(tree(config, k) == tree(print(*topology), k));
    REQUIRE(emulated(config, gemm) == gemm.run(config));
  });
}

TEST_CASE("tile shape, swizzle, stages and warps leave the topology alone") {
  for_all(100, [](Random& random) {
    const std::uint64_t k = 1 + random.below(5000);
    GemmConfig config = with_unit("sm90.wgmma.bf16");
    config.splits = 1 + random.below(9);
    config.output = Conversion{bf16, {}};
    const Tree before = tree(config, k);
    config.block_m = 16u << random.below(5);
    config.block_n = 8u << random.below(6);
    config.group_m = 1 + random.below(16);
    config.stages = 1 + random.below(8);
    config.warps = 1u << random.below(4);
    config.block_k = 16 * (1 + random.below(8));
    CAPTURE(k, config.block_k);
    REQUIRE(tree(config, k) == before);
    REQUIRE(tree(config, k).hash() == before.hash());
  });
}

TEST_CASE("a k tile that is no multiple of the step leaves seams") {
  GemmConfig config = with_unit("sm90.wgmma.bf16");
  config.block_k = 24;
  CHECK(tree(config, 100) == tree("slices(24, fold(sm90.wgmma.bf16), chain)", 100));
  CHECK_FALSE(tree(config, 100) == tree("fold(sm90.wgmma.bf16)", 100));
  config.block_k = 48;
  CHECK(tree(config, 100) == tree("fold(sm90.wgmma.bf16)", 100));
  config = with_unit("f32.fma");  // one product a step: no grid, no seam
  config.block_k = 24;
  CHECK(tree(config, 100) == tree("fold(f32.fma)", 100));

  Random fixed(21);
  config = with_unit("sm90.wgmma.bf16");
  const TiledGemm gemm = drawn_gemm(fixed, config.unit, 8, 32, 240);
  config.block_k = 24;
  const std::vector<Bits> seams = emulated(config, gemm);
  CHECK(seams == gemm.run(config));
  config.block_k = 32;
  CHECK(differences(seams, emulated(config, gemm)) == 190);  // of 256
}

TEST_CASE("slice lengths are those measured on an H200") {
  struct Row {
    const char* unit;
    std::uint64_t k, splits, grain, length;
  };
  // docs/sources.md has the shapes.
  for (const Row& row : {Row{"sm90.wgmma.bf16", 14336, 4, 64, 3584},
                         {"sm90.wgmma.bf16", 14336, 2, 64, 7168},
                         {"sm90.wgmma.f16", 14336, 6, 64, 2432},
                         {"sm90.wgmma.bf16", 16384, 12, 64, 1408},
                         {"sm90.wgmma.bf16", 16384, 11, 64, 1536},
                         {"sm90.wgmma.f16", 16384, 6, 64, 2752},
                         {"sm90.wgmma.bf16", 11008, 8, 64, 1408},
                         {"sm90.wgmma.bf16", 8960, 4, 64, 2240},
                         {"sm90.wgmma.bf16", 65536, 49, 64, 1344},
                         {"sm90.wgmma.bf16", 65536, 47, 64, 1408},
                         {"sm90.wgmma.bf16", 32768, 23, 64, 1472},
                         {"sm90.mma.bf16.k8", 1544, 15, 8, 104},
                         {"sm90.wgmma.e4m3", 16384, 6, 128, 2816},
                         {"sm90.wgmma.e4m3", 65536, 23, 128, 2944}}) {
    CAPTURE(row.unit, row.k, row.splits);
    GemmConfig config = with_unit(row.unit);
    config.splits = row.splits;
    config.split_grain = row.grain;
    config.output = Conversion{bf16, {}};
    CHECK(split_length(config, row.k) == row.length);
    std::ostringstream text;
    text << "slices(" << row.length << ", fold(" << row.unit << "), fold(f32)) > bf16";
    CHECK(print(*gemm_topology(config, row.k)) == text.str());
    config.splits = 1;
    config.split_length = row.length + row.grain;
    CHECK_FALSE(tree(config, row.k) == tree(text.str(), row.k));
  }
}

TEST_CASE("configurations print as the notation of the libraries' kernels") {
  GemmConfig config = with_unit("sm90.wgmma.bf16");
  config.output = Conversion{bf16, {}};
  CHECK(print(*gemm_topology(config, 14336)) == "fold(sm90.wgmma.bf16) > bf16");
  config.bias = true;
  config.splits = 2;
  CHECK(print(*gemm_topology(config, 4096)) ==
        "slices(2048, fold(sm90.wgmma.bf16), fold(f32)) + bias > bf16");

  config = with_unit("sm90.wgmma.e4m3");  // without fast accumulation
  config.promotion = 128;
  config.splits = 6;
  config.split_grain = 128;
  CHECK(print(*gemm_topology(config, 16384)) ==
        "slices(2816, slices(128, fold(sm90.wgmma.e4m3), fold(f32)), fold(f32))");

  config = with_unit("sm90.mma.f16.acc16");  // f16 compute: the totals are f16 too
  config.splits = 2;
  CHECK(print(*gemm_topology(config, 1024)) == "slices(512, fold(sm90.mma.f16.acc16), fold(f16))");

  config = with_unit("sm80.mma.bf16");  // the schemes
  config.output = Conversion{bf16, {}};
  config.splits = 2;
  config.scheme = SplitScheme::workspace_output;
  CHECK(print(*gemm_topology(config, 1024)) ==
        "slices(512, fold(sm80.mma.bf16) > bf16, fold(f32)) > bf16");
  config.scheme = SplitScheme::serial;
  CHECK(print(*gemm_topology(config, 1024)) ==
        "slices(512, fold(sm80.mma.bf16), fold(f32 > bf16)) > bf16");
  config.scheme = SplitScheme::atomic;
  CHECK(print(*gemm_topology(config, 1024)) ==
        "slices(512, fold(sm80.mma.bf16), any(f32.ftz)) > bf16");
  config = with_unit("f32.fma");  // CUDA cores: accumulators of a thread, products rounded first
  config.accumulators = 4;
  CHECK(print(*gemm_topology(config, 1024)) == "lanes(4, fold(f32.fma), fold(f32))");
  config.splits = 2;
  CHECK(print(*gemm_topology(config, 1024)) ==
        "slices(512, lanes(4, fold(f32.fma), fold(f32)), fold(f32))");
  config = with_unit("f32");
  config.product = Conversion{f32, {}};
  CHECK(print(*gemm_topology(config, 1024)) == "fold(f32, from=0)");
  config.accumulators = 2;
  CHECK(print(*gemm_topology(config, 1024)) == "lanes(2, fold(f32, from=0), fold(f32))");

  config = with_unit("sm80.mma.bf16");
  config.splits = 2;
  // With an f32 output nothing is rounded on the way (docs/sources.md, scheme 4).
  config.output = Conversion{f32, {}};
  for (const SplitScheme scheme : {SplitScheme::workspace_output, SplitScheme::serial}) {
    config.scheme = scheme;
    CHECK(print(*gemm_topology(config, 1024)) == "slices(512, fold(sm80.mma.bf16), fold(f32))");
  }
}

TEST_CASE("a residue tile comes first in every slice, each with its own residue") {
  GemmConfig config = with_unit("sm90.mma.f16");
  config.block_k = 64;
  config.residue_first = true;
  config.splits = 3;
  config.split_grain = 8;
  // 1544 in slices of 520: a residue of 8; the last slice has 504, a residue of 56.
  const std::string u = "fold(sm90.mma.f16)";
  CHECK(tree(config, 1544) ==
        tree("slices(520, cut(8, " + u + ", chain), ragged=cut(56, " + u + ", chain), fold(f32))",
             1544));
  config.splits = 1;
  CHECK(tree(config, 1544) == tree("cut(8, " + u + ", chain)", 1544));
  config.block_k = 8;
  CHECK(tree(config, 1544) == tree("slices(8, " + u + ", chain)", 1544));
}

TEST_CASE("descending k tiles keep their borders") {
  GemmConfig config = with_unit("f32.fma");
  config.block_k = 4;
  config.k_order = KOrder::descending;
  CHECK(tree(config, 10) == tree("order(8 9 4 5 6 7 0 1 2 3, fold(f32.fma))", 10));
  CHECK(tree(config, 8) == tree("order(4 5 6 7 0 1 2 3, fold(f32.fma))", 8));
  CHECK(tree(config, 3) == tree("fold(f32.fma)", 3));
}

TEST_CASE("Stream-K borders are where one block's share of iterations ends and the next begins") {
  for_all(300, [](Random& random) {
    const std::uint64_t tiles = 1 + random.below(9), k_tiles = random.below(12),
                        ctas = 1 + random.below(40);
    CAPTURE(tiles, k_tiles, ctas);
    // Deal the iterations one by one.
    std::vector<std::uint64_t> share(ctas, 0);
    for (std::uint64_t i = 0; i < tiles * k_tiles; ++i) ++share[i % ctas];
    std::vector<std::uint64_t> owner;
    for (std::uint64_t cta = 0; cta < ctas; ++cta) owner.insert(owner.end(), share[cta], cta);
    for (std::uint64_t tile = 0; tile < tiles; ++tile) {
      std::vector<std::uint64_t> borders;
      for (std::uint64_t i = 1; i < k_tiles; ++i)
        if (owner[tile * k_tiles + i] != owner[tile * k_tiles + i - 1]) borders.push_back(i);
      REQUIRE(stream_k_borders(tiles, k_tiles, ctas, tile) == borders);
    }
  });
  CHECK(stream_k_borders(3, 8, 4, 0) == std::vector<std::uint64_t>{6});
  CHECK(stream_k_borders(3, 8, 4, 1) == std::vector<std::uint64_t>{4});
  CHECK_THROWS_WITH(stream_k_borders(3, 8, 0, 0), contains("ctas = 0: must be at least 1"));
  CHECK_THROWS_WITH(stream_k_borders(3, 8, 4, 3), contains("tile = 3: there are 3 tiles"));
}

TEST_CASE("Stream-K borders become a fold over uneven pieces") {
  GemmConfig config = with_unit("sm90.wgmma.bf16");
  config.block_k = 32;
  // 24 iterations over 5 blocks begin at 0, 5, 10, 15, 20; the second tile is 8 … 16.
  for (const std::uint64_t border : stream_k_borders(3, 8, 5, 1))
    config.split_at.push_back(border * 32);
  CHECK(tree(config, 256) == tree("cut(64 224, fold(sm90.wgmma.bf16), fold(f32))", 256));
}
