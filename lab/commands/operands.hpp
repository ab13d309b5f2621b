// Operands of the number commands. A negative number looks like an option to a command line, so
// these commands let CLI11 collect what it does not know, and sort it here.
#pragma once

#include <string>
#include <vector>

#include "lab/commands/command.hpp"
#include "lab/number_input.hpp"

namespace whybits {

/// Makes a subcommand whose operands come back from read_operands(). `operands` is how the usage
/// line writes them: "A B".
Command add_number_command(Command app, const std::string& name, const std::string& description,
                           const std::string& operands);

/// Errors: UsageError for an unknown option (with the nearest known one), for a number that cannot
/// be read, and unless there are exactly `count`.
std::vector<NumberInput> read_operands(Command command, std::size_t count);

}  // namespace whybits
