// Help texts: approved, and within 100 columns.
#include <sstream>

#include "tests/support/approved.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

using whybits::test::approved;
using whybits::test::CommandResult;
using whybits::test::contains;
using whybits::test::run_whybits;

namespace {

const std::string commands[] = {
    "bits",      "add",     "sub",       "mul",         "fma",       "div",
    "sqrt",      "convert", "special",   "show",        "gemm",      "sum",
    "layernorm", "softmax", "attention", "moe",         "allreduce", "tensor-parallel",
    "decoder",   "compare", "verify",    "predict",     "gates",     "explain",
    "probe",     "kernels", "record",    "record-nccl", "info",      "completion",
    "learn",     "claims"};

/// The longest line, in characters.
std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::size_t width = 0;
    for (const char c : line) width += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
    widest = std::max(widest, width);
  }
  return widest;
}

}  // namespace

TEST_CASE("The help of every command is as approved and fits 100 columns") {
  const CommandResult all = run_whybits("--help");
  CHECK(all.exit_code == 0);
  CHECK(all.out == approved("help.txt", all.out));
  CHECK(widest_line(all.out) <= 100);
  for (const std::string& command : commands) {
    CAPTURE(command);
    CHECK_THAT(all.out, contains("\n  " + command + " "));
    const CommandResult help = run_whybits(command + " --help");
    CHECK(help.exit_code == 0);
    CHECK(help.out == approved("help_" + command + ".txt", help.out));
    CHECK(widest_line(help.out) <= 100);
    CHECK_THAT(help.out, contains("whybits " + command));
  }
}

TEST_CASE("Nothing at all is answered with the help, and is bad usage") {
  const CommandResult nothing = run_whybits("");
  CHECK(nothing.exit_code == 2);
  CHECK(nothing.out == approved("help.txt", nothing.out));
}

TEST_CASE("A misspelt command or option is told its nearest neighbour") {
  const auto refused = [](const std::string& arguments, const std::string& message) {
    CAPTURE(arguments);
    const CommandResult result = run_whybits(arguments, true);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.out, contains(message));
    CHECK_THAT(result.out, contains("--help"));
  };
  refused("gem", "unknown command 'gem'; did you mean gemm?");
  refused("sum --n 4 --topolgy 'fold(f32)'",
          "unknown option '--topolgy'; did you mean --topology?");
  refused("sum --n 4 --topology 'fold(f32)' extra", "unexpected 'extra'");
  refused("sum --topology 'fold(f32)'", "--n is required");
  refused("--frobnicate", "unknown option '--frobnicate'");
  refused("verify", "FILE is required");
}

TEST_CASE("The version is that of the project") {
  const CommandResult version = run_whybits("--version");
  CHECK(version.exit_code == 0);
  CHECK_THAT(run_whybits("info").out, contains(version.out.substr(0, version.out.find('\n'))));
}
