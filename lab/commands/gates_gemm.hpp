// `whybits gates gemm`: a layer's choices along the batch size.
#pragma once

#include "lab/commands/commands.hpp"

namespace whybits {

void add_gates_gemm(Command gates, CommandContext& context);

}  // namespace whybits
