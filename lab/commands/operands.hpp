// Operands of the number commands. A negative number looks like an option to a command line, so
// these commands let CLI11 collect what it does not know, and sort it here.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "lab/number_input.hpp"

namespace whybits {

/// Makes a subcommand whose operands come back from read_operands(). `operands` is how the usage
/// line writes them: "A B".
CLI::App* add_number_command(CLI::App& app, const std::string& name, const std::string& description,
                             const std::string& operands);

/// Errors: UsageError for an unknown option (with the nearest known one), for a number that cannot
/// be read, and unless there are exactly `count`.
std::vector<NumberInput> read_operands(const CLI::App& command, std::size_t count);

}  // namespace whybits
