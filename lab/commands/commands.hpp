// What a command of `whybits` is: a function that registers a subcommand. Its callback writes
// results to context.out and sets context.exit_code, or throws UsageError, which main turns into
// exit code 2.
#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>

namespace whybits {

struct CommandContext {
  int exit_code = 0;
  std::ostream& out;  ///< results
  std::ostream& err;  ///< progress, warnings, errors
  bool colour = false;
};

void add_bits_command(CLI::App& app, CommandContext& context);
void add_arithmetic_commands(CLI::App& app, CommandContext& context);

}  // namespace whybits
