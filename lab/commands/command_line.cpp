#include "lab/commands/command_line.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <new>

#include "gpu/not_available.hpp"
#include "lab/output_text.hpp"
#include "lab/usage_error.hpp"
#include "sim/builders/configuration_error.hpp"
#include "sim/expand.hpp"
#include "sim/fp_environment.hpp"
#include "sim/nearest_name.hpp"
#include "sim/notation.hpp"
#include "sim/recipe.hpp"

namespace whybits {
namespace {

constexpr int bad_usage = 2;
constexpr int missing_resource = 3;

/// Colour on a terminal only, and never against the user's wish (https://no-color.org).
bool wants_colour() {
  return isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
}

int refuse(const std::string& message, const std::string& remedy = {}) {
  std::cerr << "whybits: " << printable(message) << '\n';
  if (!remedy.empty()) std::cerr << "  " << printable(remedy) << '\n';
  return bad_usage;
}

/// Results depend on the processor's floating-point environment only in comparisons with it, but a
/// program that is wrong about rounding must not speak about rounding at all.
bool environment_is_sound() {
  const FpReport report = check_fp_environment();
  if (report.ok) return true;
  std::cerr << "whybits: the floating-point environment is not IEEE 754:\n";
  for (const auto& check : report.checks)
    if (!check.ok) std::cerr << "  " << check.name << ": " << check.detail << '\n';
  std::cerr << "  build without fast-math, and do not load libraries that switch it on\n";
  return false;
}

/// A first word that is no command, with the nearest one that is; 0 if there is nothing to refuse.
int refuse_unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return 0;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  const std::string word = argv[1];
  if (std::find(names.begin(), names.end(), word) != names.end()) return 0;
  const auto near = nearest_name(word, names);
  return refuse("unknown command '" + word + "'" + (near ? "; did you mean " + *near + "?" : ""),
                "see whybits --help");
}

/// whybits itself and the commands that the line names: whybits, predict, nccl.
std::vector<const CLI::App*> named_commands(const CLI::App& app) {
  std::vector<const CLI::App*> list{&app};
  while (!list.back()->get_subcommands().empty()) list.push_back(list.back()->get_subcommands()[0]);
  return list;
}

std::string see_help(const CLI::App& command) {
  std::string names;
  for (const CLI::App* one = &command; one->get_parent() != nullptr; one = one->get_parent())
    names.insert(0, one->get_name() + " ");
  return "see whybits " + names + "--help";
}

/// What no option takes, with the nearest that is one.
int refuse_extras(const CLI::App& command) {
  const std::string help = see_help(command);
  const std::vector<std::string> extras = command.remaining();
  const std::string word = extras.empty() ? "" : extras[0];
  if (word.size() < 2 || word[0] != '-') return refuse("unexpected '" + word + "'", help);
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const auto near = nearest_name(word, names);
  return refuse("unknown option '" + word + "'" + (near ? "; did you mean " + *near + "?" : ""),
                help);
}

/// Runs the command that the arguments name; its exit code.
int parse_and_run(CLI::App& app, CommandContext& context, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    if (!app.get_subcommands().empty()) return context.exit_code;
    std::cout << app.help();
    return bad_usage;
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    // A misspelt option also makes one missing: the cause is told, not the consequence.
    for (const CLI::App* command : named_commands(app))
      if (!command->remaining().empty()) return refuse_extras(*command);
    return refuse(error.what(), see_help(*named_commands(app).back()));
  } catch (const UsageError& error) {
    return refuse(error.what(), error.remedy);
  } catch (const NotationError& error) {
    return refuse("the topology cannot be read\n" + error.pointed(), "see docs/notation.md");
  } catch (const TopologyError& error) {
    return refuse(error.what());
  } catch (const ConfigurationError& error) {
    return refuse(error.what(), see_help(*named_commands(app).back()));
  } catch (const RecipeMemoryError& error) {
    return refuse(error.what(), see_help(*named_commands(app).back()));
  } catch (const gpu::NotAvailable& error) {
    std::cerr << "whybits: " << printable(error.what()) << '\n';
    return missing_resource;
  } catch (const std::bad_alloc&) {
    return refuse("not enough memory for this request", "choose fewer outputs or a smaller shape");
  } catch (const std::exception& error) {
    return refuse(std::string("unexpected: ") + error.what(),
                  "this is a bug: please report it with the command line");
  }
}

}  // namespace

int run_command_line(int argc, char** argv, AddCommands add_commands) {
  if (!environment_is_sound()) return missing_resource;
  CLI::App app(
      "whybits: why do the bits differ? Predicts bit for bit what GPU matrix units and\n"
      "libraries compute, and shows which addition order did it.",
      "whybits");
  app.set_version_flag("--version", WHYBITS_VERSION);
  app.require_subcommand(0, 1);
  app.failure_message(CLI::FailureMessage::simple);
  CommandContext context{0, std::cout, std::cerr, wants_colour()};
  add_commands(Command(&app), context);
  app.footer(
      "Start with: whybits add 2048 1 --format f16, or whybits learn\n"
      "Exit codes: 0 as asked, 1 bits differ, 2 bad input, 3 device or library missing.");
  if (const int refused = refuse_unknown_command(app, argc, argv)) return refused;
  const int code = parse_and_run(app, context, argc, argv);
  std::cout.flush();
  if (std::cout) return code;
  std::cerr << "whybits: the output could not be written\n";
  return bad_usage;
}

}  // namespace whybits
