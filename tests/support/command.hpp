#pragma once

#include <string>

#include "lab/shell.hpp"

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

}  // namespace whybits::test
