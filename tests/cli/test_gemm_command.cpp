// whybits gemm as a person meets it.
#include <nlohmann/json.hpp>

#include "tests/support/approved.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

using whybits::test::approved;
using whybits::test::CommandResult;
using whybits::test::contains;

namespace {

CommandResult gemm(const std::string& arguments, bool with_errors = false) {
  return whybits::test::run_whybits("gemm " + arguments, with_errors);
}

/// A layer small enough for every test: 4 rows, 96 columns, k = 2048 in eight slices or one chain.
const std::string layer = "--m 4 --n 96 --k 2048 --a wide:11 --b uniform:12 ";
const std::string split = "--topology 'slices(256, fold(sm90.wgmma.bf16), fold(f32)) > bf16' ";
const std::string chain = "--vs 'fold(sm90.wgmma.bf16) > bf16' ";

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    all.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

}  // namespace

TEST_CASE("gemm of two topologies is as approved") {
  const CommandResult text = gemm(layer + split + chain);
  CHECK(text.exit_code == 1);
  CHECK(text.out == approved("gemm_two.txt", text.out));
}

TEST_CASE("gemm of three topologies of different formats is as approved") {
  const CommandResult text = gemm(layer + split + chain + "--vs 'fold(f32.fma)' --output 2,7");
  CHECK(text.exit_code == 1);
  CHECK(text.out == approved("gemm_three.txt", text.out));
}

TEST_CASE("gemm with c, bias and rounded products is as approved") {
  const CommandResult c = gemm(
      "--m 1 --n 4 --k 64 --c uniform:5 --bias ones "
      "--topology 'fold(sm90.wgmma.bf16) + bias > bf16' "
      "--vs 'slices(64, fold(sm90.wgmma.bf16, from=0), fold(f32, from=c)) + bias > bf16' "
      "--output 0,1");
  CHECK(c.out == approved("gemm_c_bias.txt", c.out));
  const CommandResult rounded = gemm(
      "--m 2 --n 2 --k 100 --type f32 --leaf 'product>f32' --topology 'pairs(f32)' --vs "
      "'fold(f32)'");
  CHECK(rounded.out == approved("gemm_rounded_products.txt", rounded.out));
}

TEST_CASE("Without exact sums the errors are left out and nothing else") {
  const std::string two = layer + split + chain;
  const CommandResult with = gemm(two), without = gemm("--no-exact " + two);
  CHECK(without.exit_code == 1);
  CHECK_THAT(with.out, contains("error against exact"));
  CHECK_THAT(without.out, !contains("error against exact"));
  CHECK_THAT(without.out, !contains("no exact sum"));
  CHECK(lines(without.out).size() + 1 < lines(with.out).size());
  auto json = nlohmann::json::parse(gemm("--json " + two).out);
  for (auto& topology : json["topologies"])
    for (const char* key : {"error", "error_before"}) {
      REQUIRE(topology[key].is_object());
      topology[key] = nullptr;
    }
  CHECK(nlohmann::json::parse(gemm("--json --no-exact " + two).out) == json);
}

TEST_CASE("CSV has a line an output, and JSON and text count what it shows") {
  const CommandResult csv = gemm("--csv " + layer + split + chain);
  CHECK(csv.exit_code == 1);
  const std::vector<std::string> rows = lines(csv.out);
  REQUIRE(rows.size() == 1 + 4 * 96);
  CHECK(rows[0] == "row,column,a_before,a,b_before,b,same,ulp_a_b");
  CHECK(rows[1].substr(0, 4) == "0,0,");
  CHECK(rows.back().substr(0, 5) == "3,95,");
  std::size_t differ = 0, differ_before = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    std::vector<std::string> cells;
    for (std::size_t begin = 0; begin <= rows[i].size();) {
      const std::size_t end = std::min(rows[i].find(',', begin), rows[i].size());
      cells.push_back(rows[i].substr(begin, end - begin));
      begin = end + 1;
    }
    REQUIRE(cells.size() == 8);
    differ += cells[3] != cells[5] ? 1U : 0U;
    differ_before += cells[2] != cells[4] ? 1U : 0U;
    CHECK((cells[3] == cells[5]) == (cells[6] == "1"));
    CHECK((cells[3] == cells[5]) == (cells[7] == "0"));
  }
  CHECK(differ > 0);
  CHECK(differ_before > 100);
  const auto json = nlohmann::json::parse(gemm("--json " + layer + split + chain).out);
  CHECK(json["pairs"][0]["after_last_rounding"]["differ"] == differ);
  CHECK(json["pairs"][0]["before_last_rounding"]["differ"] == differ_before);
}

TEST_CASE("JSON says what was asked") {
  const CommandResult result = gemm(
      "--json --m 1 --n 3 --k 32 --type e4m3 --type-b e5m2 --c ones --bias wide:3 "
      "--bias-type bf16 --topology 'fold(sm90.wgmma.e4m3xe5m2) + bias'");
  CHECK(result.exit_code == 0);
  const auto json = nlohmann::json::parse(result.out);
  CHECK(json["whybits_gemm"] == 1);
  CHECK(json["shape"] == nlohmann::json({{"m", 1}, {"n", 3}, {"k", 32}}));
  CHECK(json["types"] ==
        nlohmann::json({{"a", "e4m3"}, {"b", "e5m2"}, {"c", "f32"}, {"bias", "bf16"}}));
  CHECK(json["inputs"]["bias"] == "wide:3");
  CHECK(json["inputs"]["c"] == "ones");
  CHECK(json["outputs"] == 3);
  CHECK(json["pairs"].empty());
  CHECK(json["topologies"][0]["name"] == "A");
  CHECK(json["topologies"][0]["format"] == "f32");
  for (const char* member : {"count", "rms", "max", "mean", "toward_zero", "exact_results"})
    CHECK(json["topologies"][0]["error"].contains(member));
}

TEST_CASE("Chosen outputs are those of the whole, whatever the threads") {
  const std::vector<std::string> all = lines(gemm("--csv " + layer + split + chain).out);
  const std::vector<std::string> some =
      lines(gemm("--csv --rows 3,1 --columns 95,7..9 --threads 1000 " + layer + split + chain).out);
  REQUIRE(some.size() == 1 + 2 * 3);
  const auto at = [&](std::size_t row, std::size_t column) {
    return all.at(1 + row * 96 + column);
  };
  CHECK(some[1] == at(3, 95));
  CHECK(some[2] == at(3, 7));
  CHECK(some[3] == at(3, 8));
  CHECK(some[4] == at(1, 95));
  for (const char* threads : {"1", "2", "3", "0"})
    CHECK(
        lines(gemm("--csv --threads " + std::string(threads) + " " + layer + split + chain).out) ==
        all);
}

TEST_CASE("The same tree in two spellings cannot differ, and is said to be the same") {
  const CommandResult result = gemm(
      layer + "--topology 'fold(sm90.wgmma.bf16)' --vs 'slices(64, fold(sm90.mma.bf16), chain)'");
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, contains("A–B (the same tree)") && contains("0 of 384"));
}

TEST_CASE("Empty products and empty sums are results, not errors") {
  const std::string two = "--topology 'fold(f32.fma)' --vs 'fold(sm90.wgmma.bf16)'";
  CHECK(gemm("--m 0 --n 4 --k 8 " + two).exit_code == 0);
  CHECK(gemm("--m 4 --n 0 --k 8 " + two).exit_code == 0);
  const CommandResult empty = gemm("--csv --m 1 --n 1 --k 0 --c hex:c0000000 " + two);
  CHECK(empty.exit_code == 0);
  CHECK_THAT(empty.out, contains("0,0,0xC0000000,0xC0000000,0xC0000000,0xC0000000,1,0"));
  CHECK_THAT(gemm("--csv --m 1 --n 1 --k 0 " + two).out, contains("0x00000000,0x00000000"));
}

TEST_CASE("NaN and infinities in the operands are compared as words") {
  const CommandResult bits = gemm(
      "--m 2 --n 64 --k 32 --a bits:1 --b bits:2 --topology 'fold(sm90.wgmma.bf16)' "
      "--vs 'slices(16, fold(sm90.wgmma.bf16), fold(f32))' --json");
  CHECK(bits.exit_code == 1);
  const auto json = nlohmann::json::parse(bits.out);
  const std::uint64_t compared = json["pairs"][0]["after_last_rounding"]["differ"];
  CHECK(compared > 0);
  CHECK(compared < 128);
}
