// The choice atlas: what it covers, what it does not, and files that are refused.
#include "sim/libraries/cublaslt/atlas.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using namespace whybits::cublaslt;
using test::contains;

namespace {

constexpr AtlasKey down_bf16{4096, 14336, StorageB::kn, TypeKind::bf16};

const std::string head =
    "# cuBLASLt choice atlas, version 1\n# device: NVIDIA H200\n# capability: 9.0\n"
    "# library: 13.1.0\n"
    "n\tk\tlayout\ttypes\tfirst_m\tlast_m\tid\ttile\tstages\tsplit_k\treduction_scheme\t"
    "cta_swizzling\tcustom_option\tinner_shape\tcluster_shape\ttopology\tevidence\n";

std::string text_at(const Atlas& atlas, const AtlasKey& key, std::uint64_t m) {
  const Choice* choice = atlas.find(key, m);
  if (!choice) return "not in the atlas";
  const auto topology = choice->topology(key, m);
  if (const auto* none = std::get_if<NoRule>(&topology)) return "no rule: " + none->why;
  return text_of(std::get<Topology>(topology));
}

void check_refused(const std::string& text, const std::string& complaint) {
  INFO(complaint);
  Atlas atlas;
  CHECK_THROWS_WITH(atlas.add("test.tsv", text), contains(complaint));
}

}  // namespace

TEST_CASE("the shipped atlas has every batch size up to 4096, and no others") {
  const Atlas& atlas = Atlas::shipped(TypeKind::bf16);
  CHECK(text_at(atlas, down_bf16, 64) == "slices(3584, fold(sm90.wgmma.bf16), fold(f32)) > bf16");
  CHECK(text_at(atlas, down_bf16, 128) == "slices(7168, fold(sm90.wgmma.bf16), fold(f32)) > bf16");
  CHECK(text_at(atlas, down_bf16, 1024) == "fold(sm90.wgmma.bf16) > bf16");
  CHECK(text_at(atlas, down_bf16, 57) == "slices(4800, fold(sm90.wgmma.bf16), fold(f32)) > bf16");
  CHECK(text_at(atlas, down_bf16, 4097) == "not in the atlas");
  CHECK(text_at(atlas, down_bf16, 0) == "not in the atlas");
  CHECK(text_at(atlas, {4096, 14337, StorageB::kn, TypeKind::bf16}, 1) == "not in the atlas");
}

TEST_CASE("every scanned layer is covered from 1 to 4096 without gaps") {
  for (const TypeKind types : {TypeKind::bf16, TypeKind::f16, TypeKind::f32, TypeKind::tf32,
                               TypeKind::e4m3, TypeKind::e4m3_fast}) {
    const Atlas& atlas = Atlas::shipped(types);
    std::size_t scanned = 0;
    for (const AtlasKey& key : atlas.keys()) {
      const auto choices = atlas.choices(key);
      if (!choices.front().evidence.empty()) continue;  // points alone
      INFO(text_of(key));
      ++scanned;
      std::uint64_t next = 1;
      for (const Choice& choice : choices) {
        REQUIRE(choice.first_m == next);
        next = choice.last_m + 1;
      }
      CHECK(next == 4097);
      CHECK(atlas.file(choices.front()).library == "13.1.0");
    }
    // fp8 is taken as TN only, and not every shape.
    CHECK(scanned == (types == TypeKind::e4m3 ? 11 : types == TypeKind::e4m3_fast ? 13 : 28));
  }
}

TEST_CASE("where bits were compared at a batch size, the scan has the same topology") {
  std::size_t compared = 0;
  for (const TypeKind types : {TypeKind::bf16, TypeKind::f16, TypeKind::f32}) {
    const Atlas& atlas = Atlas::shipped(types);
    for (const AtlasKey& key : atlas.keys()) {
      const auto choices = atlas.choices(key);
      if (!choices.front().evidence.empty()) continue;
      for (const Choice& point : atlas.points(key)) {
        if (!point.measured) continue;
        INFO(text_of(key) << ", m " << point.first_m);
        CHECK(text_at(atlas, key, point.first_m) == text_of(Topology(point.measured)));
        ++compared;
      }
    }
  }
  CHECK(compared >= 60);
}

TEST_CASE("a scan that is written and read again has the same choices") {
  const AtlasFile file{"", "GPU", "9.0", "13.1.0", "1.2", "2026-11-30", "first heuristic"};
  Algorithm one, two;
  one.id = 66;
  two.id = 43;
  two.split_k = decided_by_kernel;
  const std::string text =
      scan_text(file, {{down_bf16, {{8, one}, {9, std::nullopt}, {4096, two}}}});
  Atlas atlas;
  atlas.add("scan.tsv", text);
  REQUIRE(atlas.find(down_bf16, 8));
  CHECK(atlas.find(down_bf16, 8)->algorithm == one);
  CHECK(atlas.find(down_bf16, 9) == nullptr);
  CHECK(atlas.find(down_bf16, 10)->first_m == 10);
  CHECK(atlas.find(down_bf16, 10)->algorithm == two);
}

TEST_CASE("rows that touch are one run if their topologies are equal") {
  Atlas atlas;
  const std::string row = "\t66\t312\t35\t4\t2\t0\t1\t0\t4\t-\ttest\n";
  const std::string other = "\t66\t318\t35\t4\t2\t0\t3\t0\t3\t-\ttest\n";
  const std::string two = "\t66\t318\t35\t2\t2\t0\t3\t0\t3\t-\ttest\n";
  const std::string key = "4096\t14336\tNN\tbf16\t";
  atlas.add("test.tsv", head + key + "1\t8" + row + key + "9\t64" + other + key + "65\t128" + two +
                            key + "200\t300" + two);
  const auto runs = atlas.topology_runs(down_bf16);
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].first_m == 1);
  CHECK(runs[0].last_m == 64);
  CHECK(runs[1].first_m == 65);
  CHECK(runs[1].text == runs[2].text);
  CHECK(runs[2].first_m == 200);
  CHECK(atlas.find(down_bf16, 150) == nullptr);
}

TEST_CASE("fields without a rule are kept and say so") {
  Atlas atlas;
  atlas.add("test.tsv",
            head + "4096\t14336\tNN\tbf16\t1\t1\t40\t0\t0\t1\t0\t0\t0\t0\t0\t-\ttest\n");
  CHECK_THAT(text_at(atlas, down_bf16, 1), contains("no rule: algorithm id 40"));
}

TEST_CASE("damaged atlas files are refused with file and line") {
  const std::string good = "1\t8\t66\t312\t35\t4\t2\t0\t1\t0\t4\t-\ttest\n";
  const std::string key = "4096\t14336\tNN\tbf16\t";
  check_refused("", "# library:");
  check_refused("# cuBLASLt choice atlas, version 2\n", "line 1: must be");
  check_refused(head + key + "1\t8\n", "line 6: 6 cells, not 17");
  check_refused(head + "4096\t14336\tNT\tbf16\t" + good, "layout 'NT'");
  check_refused(head + "4096\t14336\tNN\tbf17\t" + good, "types 'bf17'");
  check_refused(head + "x\t14336\tNN\tbf16\t" + good, "n 'x' is no number");
  check_refused(head + key + "8\t1\t66\t312\t35\t4\t2\t0\t1\t0\t4\t-\ttest\n", "ascend from 1");
  check_refused(head + key + "1\t8\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\ttest\n", "fields or a topology");
  check_refused(head + key + "1\t8\t-\t-\t-\t-\t-\t-\t-\t-\t-\tfold(\ttest\n", "topology");
  check_refused(head + key + good + key + good, "two rows cover m 1");
  check_refused(head.substr(0, head.find("# device")) + head.substr(head.find("n\tk")),
                "# library:");
}
