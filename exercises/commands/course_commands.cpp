#include "exercises/commands/commands.hpp"

namespace whybits {

void add_course_commands(CLI::App& app, CommandContext& context) {
  add_learn_command(app, context);
  add_claims_command(app, context);
}

}  // namespace whybits
