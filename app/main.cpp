// whybits: why do the bits differ? The program joins the commands of the rooms.
#include "exercises/commands/commands.hpp"
#include "lab/commands/command_line.hpp"

int main(int argc, char** argv) {
  return whybits::run_command_line(argc, argv,
                                   [](whybits::Command app, whybits::CommandContext& context) {
                                     whybits::add_all_commands(app, context);
                                     whybits::add_course_commands(app, context);
                                   });
}
