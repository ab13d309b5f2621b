// whybits attention prefill, prefix: one prompt served in several ways.
#pragma once

#include "lab/commands/command.hpp"

namespace whybits {

struct CommandContext;

void add_attention_prefill(Command attention, CommandContext& context);

}  // namespace whybits
