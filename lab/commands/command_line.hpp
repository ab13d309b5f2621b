// whybits as a program: parses the command line, runs one command, maps errors to exit codes:
// 1 bits differ, 2 bad input or usage, 3 needed device or library not present.
#pragma once

#include "lab/commands/commands.hpp"

namespace whybits {

/// Adds commands in the order of the help text. The program hands it over, so that rooms above the
/// lab can have commands of their own.
using AddCommands = void (*)(Command app, CommandContext& context);

/// The exit code of the program.
int run_command_line(int argc, char** argv, AddCommands add_commands);

}  // namespace whybits
