// The rules of cuBLASLt: which topology for which fields, and where there is none. Expected orders
// are those that an H200 was measured to have (docs/cublaslt.md), written out in the notation.
#include <fstream>
#include <sstream>

#include "sim/expand.hpp"
#include "sim/libraries/cublaslt/codes.hpp"
#include "sim/libraries/cublaslt/rules.hpp"
#include "sim/libraries/cublaslt/segment_parts.hpp"
#include "sim/notation.hpp"
#include "sim/reduction.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using namespace whybits::cublaslt;
using enum TypeKind;
using test::contains;

namespace {

struct Case {
  TypeKind kind;
  GemmShape shape;
  StorageB storage;
  Algorithm algorithm;
};

std::string topology(const Case& c) {
  const Outcome outcome = predict(problem_of(c.kind, c.shape, c.storage), c.algorithm);
  if (const auto* none = std::get_if<NoRule>(&outcome)) return "no rule: " + none->why;
  return text_of(std::get<Prediction>(outcome).topology);
}

void check_tree(const Case& c, const std::string& expected) {
  const std::string text = topology(c);
  INFO(text);
  REQUIRE_FALSE(text.starts_with("no rule"));
  CHECK(expand(*parse_topology(text), c.shape.k) == expand(*parse_topology(expected), c.shape.k));
}

constexpr auto nn = StorageB::kn, tn = StorageB::nk;
constexpr GemmShape down{1, 4096, 14336};

Algorithm nvjet_of(std::uint32_t splits, std::uint32_t stages = 35) {
  return {66, 312, stages, splits, splits > 1 ? 2u : 0u, 0, 1, 0, 4};
}

}  // namespace

TEST_CASE("nvjet cuts k in whole tiles of 64 and folds the slices in f32") {
  check_tree({bf16, down, nn, nvjet_of(4)},
             "slices(3584, fold(sm90.wgmma.bf16), fold(f32)) > bf16");
  check_tree({f16, down, nn, nvjet_of(6)}, "slices(2432, fold(sm90.wgmma.f16), fold(f32)) > f16");
  check_tree({bf16_to_f32, {1, 256, 16384}, tn, nvjet_of(12)},
             "slices(1408, fold(sm90.wgmma.bf16), fold(f32))");
  check_tree({bf16, down, nn, nvjet_of(1)}, "fold(sm90.wgmma.bf16) > bf16");
  check_tree({bf16, {5, 3072, 1000}, nn, nvjet_of(1)}, "fold(sm90.wgmma.bf16) > bf16");
}

TEST_CASE("tiles, clusters, custom options, layout and m of nvjet change no bit") {
  Algorithm other = nvjet_of(4);
  other.tile = 318, other.cluster_shape = 3, other.custom_option = 3;
  CHECK(topology({bf16, down, nn, nvjet_of(4)}) == topology({bf16, {128, 4096, 14336}, tn, other}));
}

TEST_CASE("fp8 promotes every 128 k unless it accumulates fast") {
  check_tree({e4m3, {16, 512, 16384}, tn, nvjet_of(6, 36)},
             "slices(2816, slices(128, fold(sm90.wgmma.e4m3), fold(f32)), fold(f32)) > bf16");
  check_tree({e4m3_fast, {16, 512, 16384}, tn, nvjet_of(6, 36)},
             "slices(2816, fold(sm90.wgmma.e4m3), fold(f32)) > bf16");
}

TEST_CASE("split nvjet loses the tail of exactly the lengths for which an H200 lost it") {
  // torch.mm of ones, m = 1, n = 8, k = 8, 16, … below 20000, where the number of slices is
  // floor(k / 1280): wrong for these lengths, each by 8.
  const std::vector<std::uint64_t> lost{11528, 12104, 12680, 12808, 13448, 14088, 14792,
                                        15368, 16136, 16648, 17480, 17928, 18824, 19208};
  std::vector<std::uint64_t> found;
  for (std::uint64_t k = 1288; k < 20000; k += 8) {
    if (k % 64 == 0) continue;
    const auto splits = static_cast<std::uint32_t>(k / 1280);
    const std::string text = topology({bf16_to_f32, {1, 8, k}, nn, nvjet_of(splits)});
    if (text.find("take(0.." + std::to_string(k - 8)) != std::string::npos)
      found.push_back(k);
    else
      CHECK(text.find("take") == std::string::npos);
  }
  CHECK(found == lost);
}

TEST_CASE("11528 ones add up to 11520 where cuBLASLt loses the tail") {
  const Case c{f16_to_f32, {1, 8, 11528}, nn, nvjet_of(9)};
  const std::vector<Bits> ones(11528, 0x3c00);
  const OperandVector a(formats::f16, ones), b(formats::f16, ones);
  Leaves leaves;
  leaves.a = &a;
  leaves.b = &b;
  const Reduction sum = make_reduction(parse_topology(topology(c)), 11528, LeafTypes::of(leaves));
  CHECK(evaluate(sum, leaves) == 0x46340000);  // 11520
}

TEST_CASE("CUTLASS kernels begin every slice with its residue tile") {
  // k tile 32 (stages 8), slices of 104: 8, then 3 tiles of 32; the last of 88: 24, then 2.
  check_tree({f16_compute, {7, 777, 1544}, nn, {24, 15, 8, 15, 2, 0, 0, 0, 0}},
             "slices(104, cut(8, fold(sm90.mma.f16.acc16), chain), "
             "ragged=cut(24, fold(sm90.mma.f16.acc16), chain), fold(f16))");
  check_tree({bf16, {7, 777, 1544}, nn, {24, 15, 0, 15, 2, 0, 0, 0, 0}},
             "slices(104, fold(sm90.mma.bf16.k8), fold(f32)) > bf16");
}

TEST_CASE("reduction scheme 4 rounds partials to the output's type and an f32 output not at all") {
  const Algorithm scheme4{24, 15, 0, 15, 4, 0, 0, 0, 0};
  check_tree({bf16, {7, 777, 1544}, nn, scheme4},
             "slices(104, fold(sm90.mma.bf16.k8) > bf16, fold(f32)) > bf16");
  check_tree({bf16_to_f32, {7, 777, 1544}, nn, scheme4},
             "slices(104, fold(sm90.mma.bf16.k8), fold(f32))");
}

TEST_CASE("TF32 kernels round their operands to nearest even, gemv computes in f32") {
  const auto rounding = [](const Case& c) {
    const Outcome outcome = predict(problem_of(c.kind, c.shape, c.storage), c.algorithm);
    return std::get<Prediction>(outcome).operands;
  };
  CHECK(rounding({tf32, {128, 1024, 8192}, nn, {21, 20, 15, 2, 2, 0, 0, 0, 0}}) ==
        Conversion{formats::tf32, {}});
  CHECK_FALSE(rounding({tf32, {1, 1024, 8192}, nn, {13, 0, 0, 1, 0, 0, 75, 0, 0}}));
}

TEST_CASE("FFMA kernels deal k tiles of 8 round-robin") {
  check_tree({f32, {16, 4096, 14336}, nn, {55, 20, 31, 33, 2, 0, 0, 0, 0}},
             "lanes(33, by=8, fold(f32.fma), fold(f32))");
  // custom option 1: the last partial, then pairs half the number apart.
  check_tree({f32, {16, 64, 40}, nn, {55, 20, 31, 5, 2, 0, 1, 0, 0}},
             "lanes(5, by=8, fold(f32.fma), tree(f32, (4 (0 3) 1 2)))");
}

TEST_CASE("f32 kernels for small m have the orders that were revealed by probes") {
  check_tree({f32, {8, 6144, 4096}, nn, {20, 24, 26, 8, 2, 0, 0, 0, 0}},
             "slices(512, fold(f32.fma), fold(f32))");
  check_tree({f32, {16, 6144, 4096}, nn, {11, 0, 0, 1, 0, 0, 1, 0, 0}},
             "slices(1024, slices(128, fold(f32.fma), fold(f32)), fold(f32))");
  check_tree({f32, {1, 6144, 4096}, nn, {13, 0, 0, 1, 0, 0, 106, 0, 0}},
             "lanes(8, by=64, fold(f32.fma), halves(f32))");
  check_tree({f32, {1, 256, 16384}, nn, {13, 0, 0, 10, 2, 0, 100, 0, 0}},
             "slices(1639, lanes(16, by=64, fold(f32.fma), halves(f32)), fold(f32))");
  check_tree({f32, {1, 512, 2048}, nn, {13, 0, 0, 1, 0, 0, 75, 0, 0}},
             "lanes(32, fold(f32.fma), halves(f32))");
}

TEST_CASE("a kernel that cuts k where there is room makes a map of two topologies") {
  // 4 × 10 clusters of one 128×128 tile: T = 40 of 4-CTA clusters, of which 30 fit: the last 10 are
  // cut in 3 parts of k: 42, 43 and 43 tiles of 32.
  const Case c{tf32, {512, 5120, 4096}, tn, {43, 20, 34, decided_by_kernel, 2, 0, 0, 0, 4}};
  const Outcome outcome = predict(problem_of(c.kind, c.shape, c.storage), c.algorithm);
  const auto& map = std::get<TopologyMap>(std::get<Prediction>(outcome).topology);
  CHECK(map.regions.front().begin == 0);
  CHECK(map.regions.back().end == 512 * 5120);
  CHECK(print(*map.find(0)->topology) == "fold(sm90.wgmma.tf32)");
  CHECK(print(*map.find(512 * 5120 - 1)->topology) ==
        "cut(1344 2720, fold(sm90.wgmma.tf32), reverse(pairs(f32)))");
  // m outer, n inner: the last ten clusters are the last row of tiles, m ≥ 384.
  CHECK(print(*map.find(384 * 5120 - 1)->topology) == "fold(sm90.wgmma.tf32)");
  CHECK(print(*map.find(384 * 5120)->topology) != "fold(sm90.wgmma.tf32)");
}

TEST_CASE("every other line of tile clusters is walked backward") {
  // 4 × 8 clusters of four 128×64 tiles, 30 fit: the last line of m runs from high n to low, so
  // that the two that are cut have the first columns. As an H200's outputs answered.
  const Case c{tf32, {1024, 1000, 4104}, tn, {43, 18, 34, decided_by_kernel, 2, 0, 0, 0, 8}};
  const Outcome outcome = predict(problem_of(c.kind, c.shape, c.storage), c.algorithm);
  const auto& map = std::get<TopologyMap>(std::get<Prediction>(outcome).topology);
  const auto is_cut = [&](std::uint64_t row, std::uint64_t column) {
    return print(*map.find(row * 1000 + column)->topology) != "fold(sm90.wgmma.tf32)";
  };
  CHECK(is_cut(768, 0));
  CHECK(is_cut(1023, 255));
  CHECK_FALSE(is_cut(1023, 256));
  CHECK_FALSE(is_cut(1023, 999));
  CHECK_FALSE(is_cut(767, 0));
}

TEST_CASE("K is cut into as many parts as an H200's answers to masked addends show") {
  std::ifstream file(WHYBITS_SOURCE_DIR "/tests/recordings/cublaslt/parts-13.1.0.tsv");
  std::string line;
  std::uint64_t answers = 0, open = 0;
  while (std::getline(file, line)) {
    if (line.starts_with('#') || line.starts_with("id\t")) continue;
    INFO(line);
    std::istringstream fields(line);
    std::uint32_t id = 0;
    std::uint64_t area = 0, k_tiles = 0, room = 0, parts = 0, proposals = 0;
    std::string tiles, merge;
    fields >> id >> area >> tiles >> k_tiles >> room >> parts >> merge >> proposals;
    REQUIRE(fields);
    answers += proposals;
    const auto rule =
        tiles == "all" ? parts_of_all(id, area, k_tiles, room) : parts_of_last(id, k_tiles, room);
    if (!rule) {
      CHECK(tiles == "last");  // of all tiles every answer has its rule
      open += proposals;
      continue;
    }
    CHECK(*rule == parts);
    if (merge != "-") CHECK((merge == "fold") == (tiles == "all" && parts >= folded_from));
  }
  CHECK(answers == 3414);
  CHECK(open < answers / 8);  // of the last tiles
}

TEST_CASE("numbers that measurements leave open give no topology") {
  CHECK_THAT(topology({f32, {1, 777, 1544}, nn, {13, 0, 0, 16, 2, 0, 10, 0, 0}}),
             contains("no order explains it"));
  CHECK_THAT(
      topology({tf32, {1024, 1536, 8960}, nn, {43, 20, 34, decided_by_kernel, 2, 1, 0, 0, 12}}),
      contains("measured otherwise"));
  // 2 or 3 parts of 128 k tiles: what a level costs is not known so closely.
  CHECK_THAT(
      topology({tf32, {128, 4480, 4096}, tn, {43, 20, 34, decided_by_kernel, 2, 0, 0, 0, 18}}),
      contains("was not measured"));
  CHECK_THAT(topology({bf16, down, nn, {66, 312, 35, 4, 4, 0, 1, 0, 4}}), contains("scheme"));
  CHECK_THAT(topology({bf16, down, nn, {66, 312, 35, 0, 2, 0, 1, 0, 4}}), contains("split_k"));
  CHECK_THAT(topology({f16_compute, down, nn, {66, 312, 35, 4, 2, 0, 1, 0, 4}}),
             contains("not for f16-compute"));
  CHECK_THAT(topology({bf16, {1, 8, 0}, nn, nvjet_of(1)}), contains("k is 0"));
}

TEST_CASE("a GPU that holds fewer clusters cuts tiles in fewer parts") {
  const Problem problem = problem_of(tf32, {128, 4480, 8192}, tn);
  const Algorithm algorithm{43, 20, 34, decided_by_kernel, 2, 0, 0, 0, 18};
  const auto parts = [&](std::vector<std::uint32_t> clusters) {
    const Place place{"13.1.0", "9.0", std::move(clusters)};
    return text_of(std::get<Prediction>(predict(problem, algorithm, place)).topology);
  };
  // 7 tile clusters of 5 blocks.
  CHECK_THAT(parts({132, 66, 39, 30, 22}), contains("cut(2720 5440, "));
  CHECK_THAT(parts({132, 66, 39, 30, 20}), contains("cut(4096, "));
}

TEST_CASE("a bias is one add after the slices, before which split CUTLASS kernels round") {
  Problem problem = problem_of(bf16, down, tn);
  problem.bias = true;
  CHECK(text_of(std::get<Prediction>(predict(problem, nvjet_of(2))).topology) ==
        "slices(7168, fold(sm90.wgmma.bf16), fold(f32)) + bias > bf16");
  problem.shape = {7, 777, 1544};
  CHECK(text_of(std::get<Prediction>(predict(problem, {24, 15, 0, 15, 2, 0, 0, 0, 0})).topology) ==
        "slices(104, fold(sm90.mma.bf16.k8), fold(f32)) > bf16 + bias > bf16");
}

TEST_CASE("codes are those of cublasLt.h") {
  CHECK(tile_extent(20) == Extent{128, 128});
  CHECK(tile_extent(312) == Extent{64, 16});
  CHECK_FALSE(tile_extent(0));
  CHECK_FALSE(tile_extent(635));
  CHECK(cluster_extent(18) == Extent{5, 1});
  CHECK_FALSE(cluster_extent(1));
  CHECK(k_tile(1) == 16);
  CHECK(k_tile(6) == 16);
  CHECK(k_tile(7) == 32);
  CHECK(k_tile(24) == 128);
  CHECK(k_tile(31) == 8);
  CHECK_FALSE(k_tile(29));
}
