// whybits gates rmsnorm and gates sum: kernels whose launch depends on how many rows there are.
#pragma once

#include <CLI/CLI.hpp>

#include "lab/commands/commands.hpp"

namespace whybits {

void add_gates_rmsnorm(CLI::App& gates, CommandContext& context);
void add_gates_sum(CLI::App& gates, CommandContext& context);

}  // namespace whybits
