// The commands of the course: `whybits learn` and `whybits claims`.
#pragma once

#include "lab/commands/commands.hpp"

namespace whybits {

void add_learn_command(Command app, CommandContext& context);
void add_claims_command(Command app, CommandContext& context);
/// Both, in the order of the help text.
void add_course_commands(Command app, CommandContext& context);

}  // namespace whybits
