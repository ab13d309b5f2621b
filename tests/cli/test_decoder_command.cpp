// whybits decoder as a person meets it.
#include "tests/support/approved.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

using whybits::test::approved;
using whybits::test::CommandResult;
using whybits::test::contains;
using whybits::test::json_of;
using whybits::test::run_whybits;

TEST_CASE(
    "decoder tells what batch 64 changes in a block, as approved, and the block's json agrees") {
  const CommandResult text = run_whybits("decoder");
  CHECK(text.exit_code == 1);
  CHECK(text.out == approved("decoder.txt", text.out));
  const auto json = json_of("decoder --times", 1);
  CHECK(json["batches"] == nlohmann::json{1, 64});
  REQUIRE(json["operations"].size() == 11);
  for (const auto& operation : json["operations"]) {
    CAPTURE(operation["operation"]);
    CHECK(operation["seconds"].get<double>() > 0);
    if (operation["same_order"] == true) CHECK(operation["differ_by_itself"] == 0);
  }
}

TEST_CASE("decoder --invariant differs nowhere, and the same batch twice neither") {
  for (const char* arguments : {"decoder --invariant --vs 512", "decoder --batch 64 --vs 64"}) {
    const auto json = json_of(arguments, 0);
    for (const auto& operation : json["operations"]) {
      CAPTURE(arguments, operation["operation"]);
      CHECK(operation["same_order"] == true);
      CHECK(operation["differ"] == 0);
      CHECK(operation["differ_by_itself"] == 0);
      CHECK(operation["seconds"].is_null());
    }
  }
}

TEST_CASE("bad decoder options are refused with the option and what is allowed") {
  const auto refused = [](const std::string& arguments, int code, const std::string& message) {
    CAPTURE(arguments);
    const CommandResult result = run_whybits("decoder " + arguments, true);
    CHECK(result.exit_code == code);
    CHECK_THAT(result.out, contains(message));
  };
  refused("--batch 0", 2, "--batch 0");
  refused("--vs 0", 2, "--vs 0");
  refused("--keys 0", 2, "--keys 0");
  refused("--layout NT", 2, "allowed: NN TN");
  refused("--attention torhc", 2, "did you mean torch");
  refused("--attention torch:splits=0", 2, "--attention");
  refused("--weights uniform", 2, "not an input form");
  refused("--weights ones:3", 2, "--weights");
  refused("--x hex:3f80", 2, "--x");
  refused("--eps -1", 2, "--eps");
  refused("--functions mfu", 2, "--functions");
  refused("--vs 1000000", 3, "not in the atlas");
}
