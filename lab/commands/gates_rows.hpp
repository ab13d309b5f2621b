// whybits gates rmsnorm, softmax, attention and sum: kernels whose launch depends on how many rows
// there are.
#pragma once

#include "lab/commands/commands.hpp"

namespace whybits {

void add_gates_rmsnorm(Command gates, CommandContext& context);
void add_gates_softmax(Command gates, CommandContext& context);
void add_gates_attention(Command gates, CommandContext& context);
void add_gates_sum(Command gates, CommandContext& context);

}  // namespace whybits
