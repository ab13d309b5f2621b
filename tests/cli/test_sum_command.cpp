// whybits sum as a person meets it.
#include <nlohmann/json.hpp>

#include "tests/support/approved.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

using whybits::test::approved;
using whybits::test::CommandResult;
using whybits::test::contains;

namespace {

CommandResult sum(const std::string& arguments, bool with_errors = false) {
  return whybits::test::run_whybits("sum " + arguments, with_errors);
}

// 1 + 2^-24 + 2^-24 from the left is 1; from the right 1 + 2^-23.
const std::string one_and_halves = "--n 3 --input hex:3f800000,33800000,33800000 ";

}  // namespace

TEST_CASE("sum tells three addends from the left and from the right apart, as approved") {
  const CommandResult text =
      sum(one_and_halves + "--topology 'fold(f32)' --vs 'reverse(fold(f32))'");
  CHECK(text.exit_code == 1);
  CHECK(text.out == approved("sum_three.txt", text.out));
  CHECK_THAT(text.out, contains("0x3F800000") && contains("0x3F800001"));
}

TEST_CASE("sum of many rows under three topologies is as approved") {
  const CommandResult text =
      sum("--n 1000 --rows 200 --topology 'fold(f32) > bf16' --vs 'pairs(f32) > bf16' "
          "--vs 'fold(bf16)' --type bf16");
  CHECK(text.exit_code == 1);
  CHECK(text.out == approved("sum_rows.txt", text.out));
}

TEST_CASE("The same bits end with 0, whatever was compared") {
  CHECK(sum("--n 100 --topology 'fold(f32)' --vs 'slices(7, fold(f32), chain)'").exit_code == 0);
  CHECK(sum("--n 0 --topology 'fold(f32)' --vs 'pairs(f32)'").exit_code == 0);
  CHECK(sum("--n 5 --rows 0 --topology 'fold(f32)' --vs 'pairs(f32)'").exit_code == 0);
  CHECK(sum("--n 5 --topology 'fold(f32)'").exit_code == 0);
  const CommandResult same = sum("--n 64 --topology 'fold(f32)' --vs 'fold(f32)' --row 0");
  CHECK(same.exit_code == 0);
  CHECK_THAT(same.out, contains("(the same tree)") && contains("Sum of row 0: the same bits"));
}

TEST_CASE("sum writes JSON with what was asked, what differs and one story") {
  const CommandResult result =
      sum("--json " + one_and_halves + "--topology 'fold(f32)' --vs 'reverse(fold(f32))'");
  CHECK(result.exit_code == 1);
  const auto json = nlohmann::json::parse(result.out);
  CHECK(json["whybits_sum"] == 1);
  CHECK(json["n"] == 3);
  CHECK(json["rows"] == 1);
  CHECK(json["type"] == "f32");
  CHECK(json["outputs"] == 1);
  CHECK(json["topologies"][1]["topology"] == "reverse(fold(f32))");
  CHECK(json["topologies"][0]["steps"] == 2);
  CHECK(json["topologies"][0]["order_open"] == false);
  CHECK(json["pairs"][0]["after_last_rounding"]["differ"] == 1);
  CHECK(json["pairs"][0]["same_tree"] == false);
  CHECK(json["output"]["name"] == "Sum of row 0");
  CHECK(json["output"]["a"]["code"] == "0x3F800000");
  CHECK(json["output"]["b"]["code"] == "0x3F800001");
  // Exactly: the fold loses 2^-24 twice, its reverse nothing.
  CHECK(json["output"]["exact"] == "1.00000011920928955078125");
  CHECK(json["output"]["ledger_entries"] == 2);
}

TEST_CASE("sum writes one CSV line a row") {
  const CommandResult csv =
      sum("--csv --rows 2 --n 2 --input hex:3f800000,33800000,40000000,40000000 "
          "--topology 'fold(f32)' --vs 'fold(f32) > bf16'");
  CHECK(csv.exit_code == 0);
  CHECK(csv.out ==
        "row,a_before,a,b_before,b,same,ulp_a_b\n"
        "0,0x3F800000,0x3F800000,0x3F800000,0x3F80,1,\n"
        "1,0x40800000,0x40800000,0x40800000,0x4080,1,\n");
}

TEST_CASE("NaN, infinities and zeros of both signs are words like others") {
  const CommandResult nan =
      sum("--n 3 --input hex:7f800000,ff800000,3f800000 --topology 'fold(f32)' "
          "--vs 'reverse(fold(f32))' --row 0");
  CHECK(nan.exit_code == 0);
  CHECK_THAT(nan.out, contains("0x7FFFFFFF") && contains("1 output with NaN or infinity"));
  const CommandResult zero = sum(
      "--csv --n 2 --input hex:80000000,80000000 --topology 'fold(f32)' --vs 'fold(f32, from=0)'");
  CHECK(zero.exit_code == 1);  // −0 is not +0
  CHECK_THAT(zero.out, contains("0x80000000,0x80000000,0x00000000,0x00000000,0,0"));
  CHECK(sum("--n 64 --rows 50 --input bits:3 --topology 'fold(f32)' --vs 'pairs(f32)'").exit_code ==
        1);
}

TEST_CASE("An order that is left open is said to be") {
  const CommandResult any = sum("--n 9 --topology 'any(f32)' --vs 'fold(f32)'");
  CHECK_THAT(any.out, contains("A leaves an order open"));
  CHECK_THAT(sum("--n 9 --topology 'fold(f32)'").out, !contains("order open"));
}

TEST_CASE("Addends that one topology leaves out are told from rounding") {
  const CommandResult take =
      sum(one_and_halves + "--topology 'fold(f32)' --vs 'take(0..2, fold(f32))' --row 0");
  CHECK_THAT(take.out, contains("A and B do not add the same numbers"));
}
