// `whybits predict LIBRARY`: a subcommand a library.
#pragma once

#include "lab/commands/commands.hpp"

namespace whybits {

void add_predict_cublaslt(Command predict, CommandContext& context);
void add_predict_nccl(Command predict, CommandContext& context);

}  // namespace whybits
