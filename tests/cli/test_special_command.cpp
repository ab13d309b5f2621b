// whybits special: text as approved, JSON, and what it refuses.
#include <nlohmann/json.hpp>

#include "tests/support/approved.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

using whybits::test::approved;
using whybits::test::CommandResult;
using whybits::test::contains;
using whybits::test::run_whybits;

TEST_CASE("special shows an instruction step by step, as approved") {
  const CommandResult text = run_whybits("special ex2 0.3");
  CHECK(text.exit_code == 0);
  CHECK(text.out == approved("special_ex2.txt", text.out));
  const CommandResult library = run_whybits("special expf -2 --mode flush");
  CHECK(library.exit_code == 0);
  CHECK(library.out == approved("special_expf.txt", library.out));
}

TEST_CASE("The terms that special prints add up to the unit's result") {
  const CommandResult result = run_whybits("special rsqrt 2.5 --json");
  REQUIRE(result.exit_code == 0);
  const auto json = nlohmann::json::parse(result.out);
  CHECK(json["whybits_special"] == 1);
  CHECK(json["function"] == "rsqrt.approx.f32");
  const auto& steps = json["interpolation"];
  std::int64_t sum = 0;
  for (const std::int64_t term : steps["terms"]) sum += term;
  CHECK(steps["sum"] == sum);
  const auto word = std::stoul(json["result"]["code"].get<std::string>(), nullptr, 16);
  CHECK((sum >> steps["dropped_bits"].get<int>()) ==
        static_cast<std::int64_t>((word & 0x7fffffU) | 0x800000U));
  const auto special = nlohmann::json::parse(run_whybits("special rcp 0 --json").out);
  CHECK(special["interpolation"].is_null());
  CHECK(special["ulps"] == 0);
}

TEST_CASE("special takes a subnormal as it is compiled to") {
  const auto code = [](const std::string& arguments) {
    return nlohmann::json::parse(
        run_whybits("special " + arguments + " --json").out)["result"]["code"];
  };
  CHECK(code("sqrt 0x00000200") == "0x1C800000");
  CHECK(code("sqrt 0x00000200 --mode flush") == "0x00000000");
}

TEST_CASE("special refuses what it does not know, with a remedy") {
  const auto refused = [](const std::string& arguments, const std::string& with) {
    const CommandResult result = run_whybits("special " + arguments, true);
    CAPTURE(arguments, result.out);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.out, contains(with));
  };
  refused("rsqr 2", "did you mean rsqrt?");
  refused("tan 2", "functions: rcp rsqrt");
  refused("ex2 two", "two");
  refused("ex2", "takes 1 number, not 0");
  refused("ex2 1 2", "takes 1 number, not 2");
  refused("ex2 1 --mode quick", "modes: standard; flush");
  refused("ex2 1 --mode fast", "instructions have standard and flush");
  refused("ex2 0x123456789", "0x123456789");
}
