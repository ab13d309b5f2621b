#include <nlohmann/json.hpp>

#include "lab/compare_report.hpp"
#include "lab/usage_error.hpp"
#include "tests/support/catch.hpp"

using namespace whybits;
using test::contains;

namespace {

DumpComparison compare(const std::string& a, const std::string& b, std::size_t keep = 10) {
  const std::string folder = WHYBITS_SOURCE_DIR "/tests/recordings/";
  return compare_dumps(read_dump(folder + a, {}), read_dump(folder + b, {}), keep);
}

Dump dump(const std::string& name, std::vector<std::uint64_t> shape,
          const std::vector<Bits>& codes) {
  return {name, std::move(shape), VectorSource::from_codes(formats::bf16, codes)};
}

}  // namespace

TEST_CASE("recorded outputs differ in the counts that Python finds in their files") {
  // python3, over the base64 words: sum(p != q), and bit lengths of the distances of their ranks.
  const Comparison rings =
      compare("nccl-ring-f32-n4-count4096.json", "nccl-tree-f32-n4-count4096.json").comparison;
  CHECK(rings.differ == 1260);
  const std::vector<std::uint64_t> expected{0, 1016, 134, 60, 29, 11, 5, 3, 1, 1};
  const auto& buckets = rings.histogram.buckets();
  CHECK(std::vector(buckets.begin(), buckets.begin() + 10) == expected);
  CHECK(rings.histogram.largest() == 256);
  CHECK(rings.first[0].index == 10);

  const Comparison batches =
      compare("cublas-bf16-m1-n4096-k14336.json", "cublas-bf16-m128-n4096-k14336.json").comparison;
  CHECK(batches.differ == 16);
  CHECK(batches.histogram.largest() == 3);
}

TEST_CASE("the report for people") {
  const Dump a = dump("a.npy", {2, 2}, {0x3f80, 0x4000, 0x0000, 0x7fff});
  const Dump b = dump("b.npy", {2, 2}, {0x3f80, 0x4001, 0x8000, 0x3f80});
  CHECK(comparison_text(compare_dumps(a, b, 2)) ==
        "A  a.npy\n"
        "B  b.npy\n"
        "   bf16 [2, 2]\n"
        "\n"
        "DIFFERENT: 3 of 4 words (75 %); 1 equal.\n"
        "\n"
        "  kind of difference      words\n"
        "  finite numbers, by ulp      1\n"
        "  NaN against a number        1\n"
        "  +0 against -0               1\n"
        "\n"
        "  ulp distance  words\n"
        "  0                 1\n"
        "  1                 1\n"
        "  none (NaN)        1\n"
        "\n"
        "  first 2 of 3 differences\n"
        "  element  A       B       A     B  ulp\n"
        "  [0, 1]   0x4000  0x4001  2  2.02    1\n"
        "  [1, 0]   0x0000  0x8000  0    -0    0\n");
  CHECK_THAT(comparison_text(compare_dumps(a, a, 2)), contains("SAME: all 4 words are equal.\n"));
  const Dump nothing = dump("n", {0}, {});
  CHECK_THAT(comparison_text(compare_dumps(nothing, nothing, 2)), contains("nothing to compare"));
}

TEST_CASE("the reports for programs") {
  const Dump a = dump("a", {3}, {0x3f80, 0x4000, 0x7fff});
  const Dump b = dump("b", {3}, {0x3f80, 0x4003, 0x3f80});
  const DumpComparison compared = compare_dumps(a, b, 10);
  const auto json = nlohmann::json::parse(comparison_json(compared));
  CHECK(json["elements"] == 3);
  CHECK(json["differ"] == 2);
  CHECK(json["kinds"]["ulp"] == 1);
  CHECK(json["kinds"]["nan_against_number"] == 1);
  CHECK(json["ulp_histogram"][2]["count"] == 1);
  CHECK(json["differences"][0]["a"] == "0x4000");
  CHECK(json["differences"][1]["ulp"].is_null());
  CHECK(comparison_csv(compared) ==
        "index,a,b,kind,ulp\n"
        "1,0x4000,0x4003,ulp,3\n"
        "2,0x7FFF,0x3F80,nan_against_number,\n");
}

TEST_CASE("shapes agree but for ones, and a plain list fits any") {
  const std::vector<Bits> six(6, 0x3f80);
  CHECK_NOTHROW(compare_dumps(dump("a", {2, 3}, six), dump("b", {1, 2, 3}, six), 1));
  CHECK(compare_dumps(dump("a", {6}, six), dump("b", {2, 3}, six), 1).shape ==
        std::vector<std::uint64_t>{2, 3});
  CHECK_THROWS_WITH(compare_dumps(dump("a", {2, 3}, six), dump("b", {3, 2}, six), 1),
                    contains("cannot compare shape [2, 3] (a) with [3, 2] (b)"));
}
