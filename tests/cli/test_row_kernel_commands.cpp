// whybits softmax, layernorm, attention and moe, and the gates of softmax and attention.
#include <nlohmann/json.hpp>
#include <tuple>

#include "tests/support/approved.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

using whybits::test::approved;
using whybits::test::CommandResult;
using whybits::test::contains;
using whybits::test::json_of;
using whybits::test::run_whybits;

namespace {

void refused(const std::string& arguments, const std::string& with) {
  const CommandResult result = run_whybits(arguments, true);
  CAPTURE(arguments, result.out);
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.out, contains(with));
}

}  // namespace

TEST_CASE("softmax, layernorm, attention and moe print what was approved") {
  for (const auto& [name, arguments, exit_code] :
       {std::tuple{"softmax.txt", "softmax --cols 4096 --rows 8 --kernel torch --vs composed@64",
                   1},
        {"layernorm.txt", "layernorm --hidden 1000 --vs 256x4", 0},
        {"attention.txt", "attention --keys 1024 --heads 2 --vs torch:splits=1", 1},
        {"moe_combine.txt", "moe combine --tokens 8 --k 4 --vs chain", 1},
        {"moe_route.txt", "moe route --tokens 64", 0}}) {
    CAPTURE(arguments);
    const CommandResult result = run_whybits(arguments);
    CHECK(result.exit_code == exit_code);
    CHECK(result.out == approved(name, result.out));
  }
}

TEST_CASE("torch.softmax must not depend on the rows of a launch, composed of torch.sum it does") {
  CHECK(json_of("softmax --kernel torch@1 --vs torch@64 --no-exact", 0)["same_tree"] == true);
  CHECK(json_of("gates softmax --kernel torch --cols 151936", 0)["runs"].size() == 1);
  const auto moves = json_of("gates softmax --kernel composed --cols 4096", 1);
  CHECK(moves["runs"].size() == 5);
  CHECK(moves["runs"][2]["outputs_differ"] > 0);
}

TEST_CASE("The length of a row chooses one of torch.softmax's four orders") {
  const auto json = json_of("gates softmax --kernel torch --lengths 8..160000 --compared 2", 1);
  REQUIRE(json["runs"].size() == 4);
  const char* regimes[] = {"one warp", "in registers", "in shared memory", "in vectors"};
  for (std::size_t i = 0; i < 4; ++i) CHECK(json["runs"][i]["regime"] == regimes[i]);
  CHECK(json["runs"][0]["last"] == 2048);
}

TEST_CASE("The functions of a GPU's unit and correct ones give other outputs of one order") {
  const auto stages = [](const std::string& functions) {
    return json_of(
        "rmsnorm --rows 512 --kernel vllm-fused-add-scalar@1 --vs "
        "vllm-fused-add-scalar@256 --functions " +
            functions,
        1)["stages"];
  };
  const auto unit = stages("mufu"), correct = stages("correct");
  CHECK(unit[1] == correct[1]);  // sums know no functions
  CHECK(unit[2] != correct[2]);
}

TEST_CASE("Attention has one computation per launch: splits move with the batch, pinned ones not") {
  const auto json = json_of("gates attention --keys 2048 --batches 1..4", 1);
  CHECK(json["runs"].size() > 1);
  CHECK(json["runs"][0]["splits"] == 16);
  CHECK(
      json_of("gates attention --kernel torch:splits=1 --heads 2 --keys 1024", 0)["runs"].size() ==
      1);
  CHECK(json_of("gates attention --kernel torch:split-keys=512 --heads 2 --keys 1024", 0)["runs"]
            .size() == 1);
}

TEST_CASE("Blocks of 192 and 128 keys are one computation up to 128 keys and part at 129") {
  const auto json = json_of(
      "gates attention --heads 14 --head-size 64 --kernel fa3:block=192 --vs "
      "fa3:block=128 --keys 120..131",
      1);
  REQUIRE(json["runs"].size() == 2);
  CHECK(json["runs"][0]["last"] == 128);
  CHECK(json["runs"][0]["must_not_differ"] == true);
  CHECK(json["runs"][0]["outputs_differ"] == 0);
  CHECK(json["runs"][1]["outputs_differ"] > 0);
}

TEST_CASE("Chunks that fill the GPU are the whole prompt's computation, short ones are split") {
  const auto way = [](const std::string& arguments, int exit_code) {
    return json_of("attention prefill --keys 4096 " + arguments, exit_code)["ways"][0];
  };
  const auto whole = way("--chunks 2048", 0);
  REQUIRE(whole["runs"].size() == 1);
  CHECK(whole["launches"] == 2);
  CHECK(whole["runs"][0]["must_not_differ"] == true);
  const auto split = way("--chunks 512 --compared 16", 1);
  REQUIRE(split["runs"].size() == 9);
  CHECK(split["runs"][0]["last"] == 63);  // one block of either launch
  CHECK(split["runs"][0]["outputs_differ"] == 0);
  CHECK(split["runs"][0]["first_difference"].is_null());
  CHECK(split["runs"][8]["splits"] == 4);
  CHECK(split["runs"][8]["outputs_differ"] > 0);
  CHECK(split["runs"][8]["first_difference"]["query"] >= 3584);
}

TEST_CASE("Infinite values behind the mask are told where one computation gives other bits") {
  const auto way = json_of("attention prefill --keys 100 --chunks 50 --v bits:1 --type f16", 1);
  const auto& run = way["ways"][0]["runs"][0];
  CHECK(run["must_not_differ"] == true);
  CHECK(run["outputs_differ"] > 0);
  CHECK(run["reason"].get<std::string>().find("behind the mask") != std::string::npos);
  CHECK(way["ways"][0]["whole"]["block"] == run["block"]);
}

TEST_CASE("Splits of a fixed length do not know chunks and caches, a fixed number does") {
  const auto runs = [](const std::string& arguments, int exit_code) {
    return json_of("attention " + arguments + " --heads 2 --keys 2048 --compared 16",
                   exit_code)["ways"][0]["runs"];
  };
  for (const auto& run : runs("prefill --kernel fa2:split-keys=512 --chunks 300", 0))
    CHECK(run["must_not_differ"] == true);
  for (const auto& run : runs("prefix --kernel fa2:split-keys=512 --cached 2047", 0))
    CHECK(run["must_not_differ"] == true);
  CHECK(runs("prefill --kernel fa2:splits=4 --chunks 300", 1).back()["must_not_differ"] == true);
  CHECK(runs("prefill --kernel fa2:splits=4 --chunks 300", 1)[1]["must_not_differ"] == false);
}

TEST_CASE("A cached prefix that leaves nine queries takes vLLM's other tile, ten do not") {
  const auto run = [](const char* cached, int exit_code) {
    return json_of(
        std::string("attention prefix --kernel vllm-fa3 --heads 14 --kv-heads 2 --head-size 64 "
                    "--keys 1024 --cached ") +
            cached,
        exit_code)["ways"][0]["runs"][0];
  };
  CHECK(run("1014", 0)["must_not_differ"] == true);
  CHECK(run("1015", 1)["block"] == 192);
  const auto gates = json_of(
      "gates attention --kernel vllm-fa3 --heads 14 --kv-heads 2 --head-size 64 --causal --keys "
      "1024 --longest 1..64",
      1);
  CHECK(gates["along"] == "longest");
  REQUIRE(gates["runs"].size() == 2);
  CHECK(gates["runs"][1]["first"] == 10);
}

TEST_CASE("Two experts must not differ, four and eight do, and then their order is part of it") {
  const auto differ = [](const std::string& arguments, int exit_code) {
    return run_whybits("moe combine --tokens 8 " + arguments).exit_code == exit_code;
  };
  CHECK(differ("--k 2 --vs chain", 0));
  CHECK(differ("--k 4 --vs vllm-old", 1));
  CHECK(differ("--k 8 --vs chain", 1));
  CHECK(differ("--k 8 --kernel chain --vs 'reverse(fold(bf16))'", 1));
  CHECK(differ("--k 1 --vs chain", 0));
}

TEST_CASE("A router under one topology twice gives every token the same experts") {
  const auto json = json_of("moe route --tokens 32 --vs 'fold(sm90.wgmma.bf16) > bf16'", 0);
  CHECK(json["logits_differ"] == 0);
  CHECK(json["sets_differ"] == 0);
}

TEST_CASE("Bad arguments of softmax, layernorm, attention and moe are refused with a remedy") {
  refused("softmax --vs tritn", "kernels: torch");
  refused("softmax --vs triton", "has no softmax");
  refused("softmax --cols 0 --vs torch", "--cols 0");
  refused("softmax --vs torch --functions mfu", "did you mean mufu?");
  refused("softmax --vs torch --type e4m3", "known are f32, f16 and bf16");
  refused("softmax --cols 9217 --vs torch@2", "multiples of 4");
  refused("softmax --vs torch --rows 4 --row 4", "--row");
  refused("layernorm --vs 256", "THREADSxVECTOR");
  refused("layernorm --vs 0x4", "threads");
  refused("layernorm --hidden 1001 --vs 256x4", "multiples of");
  refused("attention --vs torsh", "did you mean torch?");
  refused("attention --head-size 80 --vs torch", "known are 64, 96, 128 and 256");
  refused("attention --vs torch:block=20", "multiple of 16");
  refused("attention --vs torch:splits=2,split-keys=128", "exclude each other");
  refused("attention --heads 6 --kv-heads 4 --vs torch", "must be a multiple");
  refused("attention --causal --queries 5 --keys 4 --vs torch", "as many queries as keys");
  refused("attention", "--vs is missing");
  refused("attention prefill --chunks 0", "--chunks 0");
  refused("attention prefill --chunks -1", "from 1 to 16777216");
  refused("attention --vs torch:splits=2,splits=3", "splits= is given twice");
  refused("attention --vs torch:splits=2:batch=3", "write a comma between");
  refused("attention --compared 0 --vs torch", "--compared 0");
  refused("attention --keys 16777216 --heads 64 --vs fa3", "shorter rows");
  refused("attention prefix --cached 4096", "must leave a query");
  refused("gates attention --longest 0..4", "--longest");
  refused("attention --type f32 --vs torch", "known are bf16 and f16");
  refused("attention --keys 0 --vs torch", "keys = 0");
  refused("gates attention --keys 1..3", "--vs");
  refused("gates softmax --kernel torch --lengths 1..7", "no multiple of 8");
  refused("moe combine --vs vllm-old --k 8", "4");
  refused("moe combine --vs vlm", "did you mean vllm?");
  refused("moe route --k 200", "--k");
}

TEST_CASE("Rows of one element, one key, and of NaN or infinities stay what they must be") {
  CHECK(json_of("softmax --cols 1 --rows 3 --vs 'fold(f32)'", 0)["stages"][1]["differ"] == 0);
  CHECK(json_of("softmax --cols 3 --rows 1 --x hex:7fc00000,3f800000,3f800000 --vs 'fold(f32)'",
                0)["stages"][1]["differ"] == 0);
  CHECK(json_of("softmax --cols 2 --rows 1 --x hex:ff800000,ff800000 --vs 'fold(f32)'",
                0)["stages"][1]["differ"] == 0);
  CHECK(json_of("attention --keys 1 --heads 2 --vs torch:splits=1", 0)["stages"][1]["differ"] == 0);
  CHECK(json_of("attention --keys 64 --heads 1 --vs torch:splits=8",
                0)["sides"][1]["filled_splits"] == 1);
}
