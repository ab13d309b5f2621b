// `whybits predict nccl`.
#pragma once

#include "lab/commands/commands.hpp"

namespace whybits {

void add_predict_nccl(CLI::App& predict, CommandContext& context);

}  // namespace whybits
