// whybits: why do the bits differ? Parses the command line, runs one command, maps errors to exit
// codes: 1 bits differ, 2 bad input or usage, 3 needed device or library not present.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <new>

#include "lab/commands/commands.hpp"
#include "lab/usage_error.hpp"
#include "sim/expand.hpp"
#include "sim/fp_environment.hpp"
#include "sim/nearest_name.hpp"
#include "sim/notation.hpp"

namespace whybits {
namespace {

constexpr int bad_usage = 2;
constexpr int missing_resource = 3;

/// Colour on a terminal only, and never against the user's wish (https://no-color.org).
bool wants_colour() {
  return isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
}

int refuse(const std::string& message, const std::string& remedy = {}) {
  std::cerr << "whybits: " << message << '\n';
  if (!remedy.empty()) std::cerr << "  " << remedy << '\n';
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

int run(int argc, char** argv) {
  CLI::App app(
      "whybits: why do the bits differ? Predicts bit for bit what GPU matrix units and "
      "libraries compute, and shows which addition order did it.",
      "whybits");
  app.set_version_flag("--version", WHYBITS_VERSION);
  app.require_subcommand(0, 1);
  app.failure_message(CLI::FailureMessage::simple);
  CommandContext context{0, std::cout, std::cerr, wants_colour()};
  add_all_commands(app, context);
  app.footer(
      "Start with: whybits add 2048 1 --format f16\n"
      "Exit codes: 0 as asked, 1 bits differ, 2 bad input, 3 device or library missing.");
  if (const int refused = refuse_unknown_command(app, argc, argv)) return refused;
  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) {
      std::cout << app.help();
      return bad_usage;
    }
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForAllHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    const auto used = app.get_subcommands();
    const std::string name = used.empty() ? "whybits" : "whybits " + used[0]->get_name();
    return refuse(error.what(), "see " + name + " --help");
  } catch (const UsageError& error) {
    return refuse(error.what(), error.remedy);
  } catch (const NotationError& error) {
    return refuse("the topology cannot be read\n" + error.pointed(), "see docs/notation.md");
  } catch (const TopologyError& error) {
    return refuse(error.what());
  } catch (const std::bad_alloc&) {
    return refuse("not enough memory for this request", "choose fewer outputs or a smaller shape");
  }
  std::cout.flush();
  if (!std::cout) {
    std::cerr << "whybits: the output could not be written\n";
    return bad_usage;
  }
  return context.exit_code;
}

}  // namespace
}  // namespace whybits

int main(int argc, char** argv) {
  if (!whybits::environment_is_sound()) return whybits::missing_resource;
  return whybits::run(argc, argv);
}
