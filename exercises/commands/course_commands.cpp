#include "exercises/commands/commands.hpp"

namespace whybits {

void add_course_commands(Command app, CommandContext& context) {
  add_learn_command(app, context);
  add_claims_command(app, context);
}

}  // namespace whybits
