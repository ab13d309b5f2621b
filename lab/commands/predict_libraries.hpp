// `whybits predict LIBRARY`: a subcommand a library.
#pragma once

#include "lab/commands/commands.hpp"

namespace whybits {

void add_predict_cublaslt(CLI::App& predict, CommandContext& context);
void add_predict_nccl(CLI::App& predict, CommandContext& context);

}  // namespace whybits
