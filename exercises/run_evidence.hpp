// Runs the commands of a lesson or a claim, and looks for what they must show.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "exercises/lesson.hpp"

namespace whybits::course {

struct CommandOutput {
  int exit_code = -1;
  std::string text;  ///< standard output and error
};
/// Runs "whybits …" through the shell, in the root of the sources.
using CommandRunner = std::function<CommandOutput(const std::string& command)>;

/// The program at `binary` stands for whybits.
CommandRunner shell_runner(const std::string& binary, const std::string& folder);

/// What is wrong, or "".
std::string evidence_problem(const Evidence& evidence, const CommandOutput& output);

}  // namespace whybits::course
