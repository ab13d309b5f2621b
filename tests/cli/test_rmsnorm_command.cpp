// whybits rmsnorm and the gates of kernels whose launch depends on the number of rows.
#include <nlohmann/json.hpp>

#include "tests/support/approved.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

using whybits::test::approved;
using whybits::test::CommandResult;
using whybits::test::contains;
using whybits::test::json_of;
using whybits::test::run_whybits;

TEST_CASE("rmsnorm tells two block sizes apart stage by stage, as approved") {
  const CommandResult text =
      run_whybits("rmsnorm --kernel vllm-fused-add@1 --vs vllm-fused-add@256 --rows 32");
  CHECK(text.exit_code == 0);  // sums differ, but no output does
  CHECK(text.out == approved("rmsnorm.txt", text.out));
}

TEST_CASE("The residual that a fused kernel stores is the same for every block size") {
  const auto json =
      json_of("rmsnorm --kernel vllm-fused-add-scalar@1 --vs vllm-fused-add-scalar@256", 1);
  CHECK(json["stages"][0]["tensor"] == "z");
  CHECK(json["stages"][0]["elements"] == 64 * 4096);
  CHECK(json["stages"][0]["differ"] == 0);
  CHECK(json["stages"][1]["differ"] > 0);
  CHECK(json["sides"][1]["threads"] == 256);
}

TEST_CASE("A norm of 2048 in 16 bits must not differ at 256 tokens, one of 4096 does") {
  const auto same = json_of("gates rmsnorm --kernel vllm --hidden 2048", 0);
  CHECK(same["runs"].size() == 1);
  const auto moves = json_of("gates rmsnorm --kernel vllm --hidden 4096", 1);
  REQUIRE(moves["runs"].size() == 2);
  CHECK(moves["runs"][0]["last"] == 255);
  CHECK(moves["runs"][1]["first"] == 256);
  CHECK(moves["runs"][1]["sums_differ"] > 0);
  CHECK(json_of("gates rmsnorm --kernel vllm-invariant --hidden 4096", 0)["runs"].size() == 1);
}

TEST_CASE("A compiled norm of 16384 changes at 264 tokens on 132 SMs, one of 8192 does not") {
  const auto json = json_of("gates rmsnorm --kernel inductor --hidden 16384 --type f32", 1);
  REQUIRE(json["runs"].size() == 2);
  CHECK(json["runs"][0]["last"] == 263);
  CHECK(json["runs"][1]["outputs_differ"] > 0);
  CHECK(json_of("gates rmsnorm --kernel inductor --hidden 8192", 0)["runs"].size() == 1);
}

TEST_CASE("torch.sum over a vocabulary of 151,936 is a staircase in the rows") {
  const auto json = json_of("gates sum --n 151936 --rows 1..1024 --compared 1", 1);
  // Blocks a row as PyTorch's launch had them on an H200 (docs/sources.md).
  const std::vector<std::pair<int, int>> blocks{{1, 19},  {2, 19},  {4, 19}, {8, 19},  {16, 19},
                                                {29, 19}, {30, 18}, {64, 9}, {264, 2}, {529, 1}};
  for (const auto& [rows, expected] : blocks) {
    int found = 0;
    for (const auto& run : json["runs"])
      if (run["first"] <= rows && rows <= run["last"]) found = run["blocks"];
    CAPTURE(rows);
    CHECK(found == expected);
  }
  for (const int first : {2, 4, 8, 16, 30, 264, 529}) {
    CAPTURE(first);
    CHECK(std::any_of(json["runs"].begin(), json["runs"].end(),
                      [&](const auto& run) { return run["first"] == first; }));
  }
}

TEST_CASE("Bad arguments of norms and row gates are refused with a remedy") {
  const auto refused = [](const std::string& arguments, const std::string& with) {
    const CommandResult result = run_whybits(arguments, true);
    CAPTURE(arguments, result.out);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.out, contains(with));
  };
  refused("rmsnorm --kernel vlm --vs torch", "did you mean vllm?");
  refused("rmsnorm --kernel vllm@0 --vs torch", "tokens = 0");
  refused("rmsnorm --kernel vllm@many --vs torch", "'many' is not an index");
  refused("rmsnorm --kernel vllm --vs vllm-fused-add", "one adds a residual");
  refused("rmsnorm --kernel torch --vs torch --hidden 4095", "multiples of 4");
  refused("rmsnorm --kernel torch --vs torch --hidden 0", "--hidden 0");
  refused("rmsnorm --kernel torch --vs 'fold(f32)'", "--vs 'fold(f32)'");
  refused("rmsnorm --kernel torch --vs torch --eps nan", "--eps 'nan'");
  refused("rmsnorm --kernel torch --vs torch --type e4m3", "known are f32, f16 and bf16");
  refused("rmsnorm --kernel torch --vs torch --rows 4 --row 4", "--row");
  refused("rmsnorm --kernel inductor@1 --vs torch --hidden 32768", "cut over 4 blocks at 1 row;");
  refused("gates rmsnorm --kernel vllm@3", "a kernel's name alone");
  refused("gates rmsnorm --tokens 5", "is not a range");
  refused("gates sum --rows 9..3", "is not a range");
  refused("gates sum --n 1001", "multiples of 4");
}

TEST_CASE("NaN rows stay NaN under every kernel") {
  const auto json = json_of(
      "rmsnorm --kernel vllm@1 --vs vllm@256 --hidden 4 --rows 1 --x hex:7fc0,3f80,3f80,3f80 "
      "--w ones",
      0);
  CHECK(json["stages"][2]["differ"] == 0);
}
