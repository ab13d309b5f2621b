// The whybits command: registers the subcommands and turns errors into exit codes.
#include <unistd.h>

#include <exception>
#include <iostream>

#include "lab/commands/commands.hpp"
#include "lab/usage_error.hpp"

int main(int argc, char** argv) {
  CLI::App app{"Why do the bits differ? Predicts, bit for bit, what GPUs and libraries compute."};
  app.name("whybits");
  app.require_subcommand(1);
  whybits::CommandContext context{
      .out = std::cout, .err = std::cerr, .colour = isatty(STDOUT_FILENO) != 0};
  whybits::add_bits_command(app, context);
  whybits::add_arithmetic_commands(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : 2;
  } catch (const whybits::UsageError& error) {
    std::cerr << "whybits: " << error.what() << '\n';
    if (!error.remedy.empty()) std::cerr << error.remedy << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "whybits: " << error.what() << '\n';
    return 2;
  }
  return context.exit_code;
}
