// `whybits gates allreduce`.
#pragma once

#include "lab/commands/commands.hpp"

namespace whybits {

void add_gates_allreduce(Command gates, CommandContext& context);

}  // namespace whybits
