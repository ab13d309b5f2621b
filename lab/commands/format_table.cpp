// whybits format-table: hidden; prints the table of docs/formats.md.
#include "lab/format_table.hpp"

#include "lab/commands/commands.hpp"

namespace whybits {

void add_format_table_command(Command app, CommandContext& context) {
  Command command = app.add_subcommand("format-table", "The table of docs/formats.md");
  command->group("");  // not in the help text
  command->callback([&context] { context.out << format_table_markdown(); });
}

}  // namespace whybits
