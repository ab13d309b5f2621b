// whybits predict: from fields or from the atlas; what is not known is exit code 3.
#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

using whybits::test::CommandResult;
using whybits::test::contains;
using whybits::test::run_whybits;

TEST_CASE("predict answers from the atlas for recorded batch sizes alone") {
  const CommandResult known = run_whybits("predict cublaslt --layer down --m 128");
  CHECK(known.exit_code == 0);
  CHECK_THAT(known.out, contains("slices(7168, fold(sm90.wgmma.bf16), fold(f32)) > bf16"));
  const CommandResult unknown = run_whybits("predict cublaslt --layer down --m 4097", true);
  CHECK(unknown.exit_code == 3);
  CHECK_THAT(unknown.out, contains("not in the atlas"));
  CHECK_THAT(unknown.out, contains("m 1..4096"));
  CHECK(run_whybits("predict cublaslt --layer down --m 128 --library-version 12.8.5").exit_code ==
        3);
}

TEST_CASE("predict derives from given fields and names rule and evidence") {
  const CommandResult lost = run_whybits(
      "predict cublaslt --n 8 --k 11528 --m 1 --types f16-f32 "
      "--algorithm id=66,stages=35,split_k=9,reduction_scheme=2 --json");
  REQUIRE(lost.exit_code == 0);
  const auto json = nlohmann::json::parse(lost.out);
  CHECK(json.at("topology") == "take(0..11520, slices(1280, fold(sm90.wgmma.f16), fold(f32)))");
  CHECK_THAT(json.at("rule").get<std::string>(), contains("ragged"));
  CHECK_THAT(json.at("evidence").get<std::string>(), contains("inferred"));
}

TEST_CASE("fields without a rule are answered with why, and no topology") {
  const CommandResult none =
      run_whybits("predict cublaslt --layer o --m 4 --algorithm id=40 --json");
  CHECK(none.exit_code == 3);
  const auto json = nlohmann::json::parse(none.out);
  CHECK(json.at("topology").is_null());
  CHECK(json.at("no_topology") == "no rule: algorithm id 40 has no rule");
}

TEST_CASE("a map of many tiles is told by its topologies") {
  const CommandResult map = run_whybits(
      "predict cublaslt --n 3584 --k 4096 --m 640 --layout TN --types tf32 "
      "--algorithm id=43,tile=20,stages=34,split_k=-1,reduction_scheme=2,cluster_shape=4");
  CHECK(map.exit_code == 0);
  CHECK_THAT(map.out, contains("327,680 outputs of cut(672 1344"));
  CHECK_THAT(map.out, contains("operands  rounded to tf32 first"));
}

TEST_CASE("predict refuses what it cannot read, and says what is allowed") {
  const auto refused = [](const std::string& arguments, const std::string& message) {
    CAPTURE(arguments);
    const CommandResult result = run_whybits("predict " + arguments, true);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.out, contains(message));
  };
  refused("cublas --layer o --m 1", "cublas");
  refused("cublaslt --layer mlp --m 1", "qkv o gate-up down");
  refused("cublaslt --m 1", "--layer, or --n and --k");
  refused("cublaslt --layer o --m 0", "at least 1");
  refused("cublaslt --layer o --m 1 --layout NT", "NN TN");
  refused("cublaslt --layer o --m 1 --types bf17", "bf16-f32");
  refused("cublaslt --layer o --m 1 --algorithm id=six", "'id=six' is not FIELD=NUMBER");
  refused("cublaslt --layer o --m 1 --algorithm name=6", "reduction_scheme");
  refused("cublaslt --layer o --m 1 --algorithm id=-6", "--algorithm: id");
  refused("cublaslt --layer o --m 1 --algorithm id=66,", "'' is not FIELD=NUMBER");
}
