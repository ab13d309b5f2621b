// whybits allreduce, predict nccl, gates allreduce and record-nccl as a person meets them.
#include <nlohmann/json.hpp>

#include "tests/support/approved.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

using whybits::test::approved;
using whybits::test::CommandResult;
using whybits::test::contains;
using whybits::test::run_whybits;

TEST_CASE("allreduce compares a ring with a tree, draws the map and passes messages, as approved") {
  const CommandResult text = run_whybits(
      "allreduce --ranks 4 --count 4096 --type bf16 --algorithm ring --vs tree --map --messages");
  CHECK(text.exit_code == 1);
  CHECK(text.out == approved("allreduce_ring_tree.txt", text.out));
}

TEST_CASE("allreduce of two ranks has the same bits whatever the order") {
  for (const char* other : {"tree", "linear", "nccl", "nccl:2.28.3:NCCL_ALGO=Tree", "pairs(f32)"})
    CHECK(run_whybits(std::string("allreduce --ranks 2 --count 5000 --algorithm ring --vs '") +
                      other + "'")
              .exit_code == 0);
}

TEST_CASE("the order of a maximum or a minimum never matters") {
  for (const char* op : {"max", "min"})
    for (const char* other : {"tree", "linear", "nccl", "double-tree", "pairs(bf16)", "ring+f32"}) {
      const CommandResult same =
          run_whybits(std::string("allreduce --ranks 4 --count 5000 --type bf16 --input bits:1 "
                                  "--messages --op ") +
                      op + " --vs '" + other + "'");
      CHECK(same.exit_code == 0);
      CHECK_THAT(same.out, contains(op) && contains("of all ranks' results 0 differ"));
    }
}

TEST_CASE("predict nccl names algorithm, protocol, channels and parts") {
  const CommandResult text = run_whybits("predict nccl --ranks 4 --count 8195");
  CHECK(text.exit_code == 0);
  CHECK(text.out == approved("predict_nccl.txt", text.out));
  const auto json = nlohmann::json::parse(
      run_whybits("predict nccl --ranks 4 --count 100000 --version 2.30.7 --json").out);
  CHECK(json["algorithm"] == "Ring");
  CHECK(json["protocol"] == "LL");
  CHECK(json["parts"].size() == 20);
}

TEST_CASE("gates allreduce says when token 0 is added otherwise, and that a tree never does") {
  const CommandResult ring = run_whybits("gates allreduce --hidden 4096 --batch 1..12");
  CHECK(ring.exit_code == 1);
  CHECK(ring.out == approved("gates_allreduce.txt", ring.out));
  CHECK(run_whybits("gates allreduce --batch 1..64 --algorithm "
                    "nccl:2.28.3:NCCL_ALGO=allreduce:tree:NCCL_PROTO=Simple")
            .exit_code == 0);
}

TEST_CASE("bad all-reduces are refused with the option and what is allowed") {
  const auto refused = [](const std::string& arguments, const std::string& message) {
    CAPTURE(arguments);
    const CommandResult result = run_whybits(arguments, true);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.out, contains(message));
  };
  refused("allreduce --ranks 0 --count 4", "two or more");
  refused("allreduce --ranks 1 --count 4", "two or more");
  refused("allreduce --ranks 4 --count 99999999999999999999", "--count");
  refused("allreduce --ranks 4 --count 8 --algorithm rnig", "did you mean ring");
  refused("allreduce --ranks 4 --count 8 --algorithm nccl:2.99.0", "2.30.7");
  refused("allreduce --ranks 5 --count 8 --algorithm nccl", "2, 3, 4, 6, 7 or 8");
  refused("allreduce --ranks 4 --count 8 --algorithm '{ [0,4): fold(f32) }'", "does not cover");
  refused("allreduce --ranks 4 --count 8 --average mid", "none");
  refused("allreduce --ranks 4 --count 8 --op prod", "sum, max, min");
  refused("allreduce --ranks 4 --count 8 --op max --average pre", "has no average");
  refused("allreduce --ranks 4 --count 8 --op max --algorithm vllm", "sums only");
  refused("predict nccl --ranks 4 --count 8 --set NCCL_ALGO=NVLS", "not defined");
  refused("predict nccl --ranks 4 --count 8 --set ALGO=Ring", "NCCL_ALGO=Ring");
  refused("predict nccl --ranks 1 --count 8", "2, 3, 4");
  refused("gates allreduce --batch 5..1", "FIRST..LAST");
}

TEST_CASE("record-nccl without GPUs or NCCL ends with 3 and the remedy") {
  const CommandResult result = run_whybits("record-nccl --ranks 64 --count 8", true);
  CHECK(result.exit_code == 3);
}
