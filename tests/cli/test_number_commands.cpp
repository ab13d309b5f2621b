// whybits bits, add, … as a person meets them: the table of docs/formats.md, negative operands,
// exit codes, errors.
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "lab/format_table.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

using namespace whybits::test;

namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

const std::string& document() {
  static const std::string text = read_file(WHYBITS_SOURCE_DIR "/docs/formats.md");
  return text;
}

void refused(const std::string& arguments, const std::string& why, const std::string& remedy) {
  CAPTURE(arguments);
  const CommandResult result = run_whybits(arguments, true);
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.out, contains(why));
  CHECK_THAT(result.out, contains(remedy));
}

}  // namespace

TEST_CASE("docs/formats.md has the table that the code gives (whybits format-table)") {
  CHECK_THAT(document(), contains(whybits::format_table_markdown()));
  CHECK(run_whybits("format-table").out == whybits::format_table_markdown());
}

TEST_CASE("negative operands are numbers, not options, wherever they stand") {
  const auto expression = [](const std::string& arguments) {
    const CommandResult result = run_whybits(arguments);
    CHECK(result.exit_code == 0);
    return result.out.substr(0, result.out.find('\n'));
  };
  CHECK(expression("add -1.5 -2 --format f16") == "f16: -1.5 + (-2) = -3.5");
  CHECK(expression("add --format f16 -1.5 2") == "f16: -1.5 + 2 = 0.5");
  CHECK(expression("sub 1 --format f16 -.5") == "f16: 1 − (-0.5) = 1.5");
  CHECK(expression("mul -inf 2 --format f16") == "f16: -inf × 2 = -inf");
  CHECK(expression("add -0x1p3 1 --format f16") == "f16: -8 + 1 = -7");
  CHECK(expression("fma -1 2 -3") == "f32: -1 × 2 + (-3) = -5");
}

TEST_CASE("JSON output has bits as strings") {
  const auto sum = nlohmann::json::parse(run_whybits("add 2048 1 --format f16 --json").out);
  CHECK(sum["result"]["code"] == "0x6800");
  CHECK(sum["step"]["guard"] == 1);
  const auto bits = nlohmann::json::parse(run_whybits("bits 0.1 --json").out);
  CHECK(bits["numbers"].size() == 10);
  CHECK(bits["numbers"][0]["exact"] == "0.1000000000000000055511151231257827021181583404541015625");
}

TEST_CASE("a code is shown in the formats whose words have as many digits") {
  const std::string two_bytes = run_whybits("bits 0x3C00").out;
  CHECK_THAT(two_bytes, contains("\nf16 ") && contains("\nbf16 ") && !contains("\nf32 "));
  CHECK_THAT(run_whybits("bits 0x3F800000").out, contains("\nf32 ") && contains("\ntf32 "));
  CHECK_THAT(run_whybits("bits 0x7E").out, contains("\ne4m3 ") && !contains("\ne2m1 "));
}

TEST_CASE("output is not coloured into a pipe") {
  CHECK_THAT(run_whybits("add 2048 1 --format f16").out, !contains("\x1b["));
}

TEST_CASE("bad input ends with exit code 2, the option, the value, and a remedy") {
  refused("add 1 2 --format fp16", "--format: unknown format 'fp16'; did you mean", "eXmY");
  refused("add 1 2 --rounding upp", "--rounding: unknown rounding 'upp'; did you mean up?", "odd");
  refused("add 1 2 --fromat f16", "no option --fromat; did you mean --format?", "--help");
  refused("add 1", "takes 2 numbers, not 1", "whybits add --help");
  refused("sqrt 1 2", "takes 1 number, not 2", "whybits sqrt --help");
  refused("add 1 2x", "'2x' is not a number", "write a decimal");
  refused("bits 0x123", "0x123 has 3 digits", "--format");
  refused("bits 0x12345 --format f16", "does not fit f16", "0xFFFF");
  refused("bits 1e99999", "exponents go up to", "write a decimal");
  refused("convert 1", "needs --to", "for example");
  refused("convert 1 --to f17", "--to: unknown format 'f17'", "eXmY");
  refused("bits ''", "no digits", "write a decimal");
}

TEST_CASE(
    "standard input: --stdin answers TestFloat's lines, in order, and stops at a bad one with its "
    "number") {
  const std::string lines = "printf '3F800000 33800000 00000000 00\\n3F800000 0\\n' | ";
  const CommandResult ok = run_whybits_after(lines, "add --stdin --format f32 --tininess after");
  CHECK(ok.exit_code == 0);
  CHECK(ok.out == "3F800000 33800000 3F800000 01\n3F800000 00000000 3F800000 00\n");
  const CommandResult bad =
      run_whybits_after("printf '3C00 3C00\\n3C00\\n' | ", "mul --stdin --format f16", true);
  CHECK(bad.exit_code == 2);
  CHECK_THAT(bad.out, contains("3C00 3C00 3C00 00\n"));
  CHECK_THAT(bad.out, contains("line 2"));
  refused("add 1 --stdin", "from standard input, but 1 is given", "--help");
  refused("add 1 2 --tininess never", "--tininess: 'never'", "before rounding");
  refused("convert 1 --to f16 --rounding stochastic", "needs --random", "0x1A2:13");
  refused("convert 1 --to f16 --rounding stochastic --random 0x2000:13", "--random: '0x2000:13'",
          "1 to 32");
  refused("convert 1 --to f16 --random 1:13", "goes with --rounding stochastic", "leave one");
}
