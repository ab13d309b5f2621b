#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

// Runs the built `whybits`, as a person would. For tests/cli, which define WHYBITS_BINARY.

namespace whybits::test {

struct CommandResult {
  int exit_code = -1;
  std::string out;  ///< standard output, or both streams if asked for
};

/// A whole line for the shell, in which "whybits" is the built one.
inline CommandResult run_line(const std::string& rest) {
  const std::string line = "whybits() { '" WHYBITS_BINARY "' \"$@\"; }; " + rest;
  CommandResult result;
  std::FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> buffer{};
  for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    result.out.append(buffer.data(), n);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
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
