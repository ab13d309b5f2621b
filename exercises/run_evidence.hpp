// Runs the commands of a lesson or a claim, and looks for what they must show.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "exercises/lesson.hpp"
#include "lab/shell.hpp"

namespace whybits::course {

/// Runs "whybits …" through the shell, in the root of the sources; both streams come back.
using CommandRunner = std::function<ShellOutput(const std::string& command)>;

/// The program at `binary` stands for whybits.
CommandRunner shell_runner(const std::string& binary, const std::string& folder);

/// What is wrong, or "".
std::string evidence_problem(const Evidence& evidence, const ShellOutput& output);

}  // namespace whybits::course
