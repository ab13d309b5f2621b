// A command line, run by the shell; and the file of this program, for command lines that call it.
#pragma once

#include <filesystem>
#include <string>

namespace whybits {

struct ShellOutput {
  int exit_code = -1;  ///< −1: it was not started, or a signal ended it
  std::string out;     ///< standard output; both streams if the line says 2>&1
};
ShellOutput run_in_shell(const std::string& line);

/// An argument as a POSIX shell takes it back.
std::string shell_quoted(const std::string& argument);

/// Empty if the system does not say.
std::filesystem::path running_program();

}  // namespace whybits
