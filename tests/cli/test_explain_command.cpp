// whybits explain and gates: exit codes, words, bad dumps.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/temporary_folder.hpp"

using whybits::test::CommandResult;
using whybits::test::contains;
using whybits::test::run_whybits;
using whybits::test::TemporaryFolder;

namespace {

const std::string recordings = WHYBITS_SOURCE_DIR "/tests/recordings/";
const std::string operands = "explain --m 2 --n 4 --k 64 --type f32 --a uniform:1 --b uniform:2 ";

}  // namespace

TEST_CASE("explain names the order of a recording and what comes next to it") {
  const CommandResult found = run_whybits("explain '" + recordings + "gpu-mma-workspace3.json'");
  CHECK(found.exit_code == 0);
  CHECK_THAT(found.out, contains("EXPLAINED: 1 of "));
  CHECK_THAT(found.out, contains("slices(384, fold(sm90.wgmma.bf16), fold(f32))"));
  CHECK_THAT(found.out, contains("Nearest other: "));
  const auto json = nlohmann::json::parse(
      run_whybits("explain --json '" + recordings + "gpu-mma-workspace3.json'").out);
  CHECK(json.at("whybits_explain") == 1);
  CHECK(json.at("out").at("verdict") == "explained");
}

TEST_CASE("outputs that no order explains are exit code 1 and say how far they are") {
  const TemporaryFolder folder;
  const std::string ones(2 * 4 * 4, '\x42');  // 48.57 eight times
  const CommandResult none =
      run_whybits(operands + "--out-type f32 --out '" + folder.write("ones.bin", ones) + "'");
  CHECK(none.exit_code == 1);
  CHECK_THAT(none.out, contains("NOT EXPLAINED"));
  CHECK_THAT(none.out, contains("No order explains"));
}

TEST_CASE("bad dumps and operands are exit code 2 with the remedy") {
  const TemporaryFolder folder;
  const auto refused = [](const std::string& arguments, const std::string& message) {
    CAPTURE(arguments);
    const CommandResult result = run_whybits(arguments, true);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.out, contains(message));
  };
  const std::string eight(2 * 4 * 4, '\0');
  refused(operands + "--out-type f32 --out '" + folder.write("short.bin", eight.substr(4)) + "'",
          "--m and --n");
  refused(operands + "--out-type f32 --out '" + folder.write("odd.bin", eight.substr(1)) + "'",
          "odd.bin");
  refused(operands + "--out '" + folder.write("raw.bin", eight) + "'", "raw words need a format");
  refused(operands + "--out '" + folder.write("text.npy", "not an array") + "'", "numpy.save");
  refused(operands + "--out '" + folder.write("cut.npy", "\x93NUMPY") + "'", "npy header");
  refused(operands + "--out '" + recordings + "../lab/data/f32_2x3.npy'", "6 elements");
  refused(operands + "--out nowhere.npy", "nowhere.npy");
  refused("explain --m 2 --n 4 --k 64 --b uniform:1 --out x.npy", "--a is required");
  refused("explain --m 2 --n 4 --k 64 --a uniform:1 --b uniform:1", "--out is required");
  refused("explain --a uniform:1 --b uniform:1 --out x.npy", "--m, --n and --k");
  refused("explain '" + recordings + "gpu-mma-workspace3.json' --type f16",
          "--type: the recording says this itself");
  refused("explain --arch sm999 '" + recordings + "gpu-mma-workspace3.json'", "allowed: sm70");
  refused("explain '" + recordings + "mma-bf16-steps1-dist0.json'", "is no gemm");
  refused("explain '" + recordings + "gpu-wgmma-persistent-bf16-hash.json'", "not the bits");
}

TEST_CASE("two dumps of the same operands are told where they part") {
  const TemporaryFolder folder;
  // 1 + 2^-24 + 2^-24 in f32: folded from the front 1, in two slices of two 1 + 2^-23.
  const std::string sum =
      "explain --m 1 --n 1 --k 4 --type f32 --rows 0 --out-type f32 "
      "--a hex:3f800000,00000000,33800000,33800000 "
      "--b hex:3f800000,3f800000,3f800000,3f800000 ";
  const std::string front = folder.write("front.bin", std::string("\0\0\x80\x3f", 4));
  const std::string sliced = folder.write("sliced.bin", std::string("\1\0\x80\x3f", 4));
  const CommandResult both = run_whybits(sum + "--out '" + front + "' --vs '" + sliced + "'");
  CHECK(both.exit_code == 0);
  CHECK_THAT(both.out, contains("1 of 1 output differs between the dumps"));
  CHECK_THAT(both.out, contains("Output [0,0]"));
}

TEST_CASE("gates tell at every batch size where bits change") {
  const CommandResult gates = run_whybits("gates gemm --layer down --columns 64");
  CHECK(gates.exit_code == 0);
  CHECK_THAT(gates.out, contains("4,096 batch sizes recorded, none left out"));
  const auto json =
      nlohmann::json::parse(run_whybits("gates gemm --layer down --columns 64 --json").out);
  REQUIRE(json.at("topologies").size() == 4);
  std::uint64_t next = 1;
  for (const auto& run : json.at("runs")) {
    CHECK(run.at("first_m") == next);
    next = run.at("last_m").get<std::uint64_t>() + 1;
  }
  CHECK(next == 4097);
  CHECK(json.at("changes").size() + 1 == json.at("runs").size());
  CHECK(json.at("changes")[0].at("from_m") == 56);
  CHECK(json.at("changes")[0].at("to_m") == 57);
  // One unsplit chain errs most, four slices least.
  CHECK(json.at("topologies")[0].at("rms_error_before_rounding").get<double>() <
        json.at("topologies")[3].at("rms_error_before_rounding").get<double>());
}

TEST_CASE("layers that nobody recorded have no gates, and bad ones are refused") {
  CHECK(run_whybits("gates gemm --n 3 --k 5").exit_code == 3);
  CHECK(run_whybits("gates sum --layer down").exit_code == 2);
  CHECK(run_whybits("gates gemm --layer down --columns 5000").exit_code == 2);
  CHECK(run_whybits("gates gemm --layer down --a hex:3f80 --columns 1").exit_code == 2);
}

TEST_CASE("the picture of gates has a letter for every recorded batch size") {
  const TemporaryFolder folder;
  const std::string path = folder.write("gates.svg", "");
  CHECK(run_whybits("gates gemm --layer down --columns 8 --svg '" + path + "'").exit_code == 0);
  std::ostringstream svg;
  svg << std::ifstream(path).rdbuf();
  CHECK_THAT(svg.str(), contains("</svg>"));
  CHECK_THAT(svg.str(), contains(">4096</text>"));
  CHECK_THAT(svg.str(), contains("&gt; bf16"));
}
