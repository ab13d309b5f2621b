#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "lab/shell.hpp"
#include "tests/support/catch.hpp"

// Runs the built `whybits`, as a person would. For tests/cli, which define WHYBITS_BINARY.

namespace whybits::test {

using CommandResult = ShellOutput;  ///< standard output, or both streams if asked for

/// A whole line for the shell, in which "whybits" is the built one.
inline CommandResult run_line(const std::string& rest) {
  return run_in_shell("whybits() { '" WHYBITS_BINARY "' \"$@\"; }; " + rest);
}

/// `arguments` go through the shell: quote what needs it. `before` stands in front of the program:
/// "printf '1 2' | ".
inline CommandResult run_whybits_after(const std::string& before, const std::string& arguments,
                                       bool with_errors = false) {
  return run_line(before + "whybits " + arguments + (with_errors ? " 2>&1" : " 2>/dev/null"));
}

inline CommandResult run_whybits(const std::string& arguments, bool with_errors = false) {
  return run_whybits_after("", arguments, with_errors);
}

/// What --json prints, of a command that ends with this code.
inline nlohmann::json json_of(const std::string& arguments, int exit_code) {
  const CommandResult result = run_whybits(arguments + " --json");
  CAPTURE(arguments);
  REQUIRE(result.exit_code == exit_code);
  return nlohmann::json::parse(result.out);
}

}  // namespace whybits::test
