#include "lab/commands/operands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "lab/usage_error.hpp"
#include "sim/nearest_name.hpp"
#include "sim/plural.hpp"

namespace whybits {

namespace {

/// CLI11 does not know about the operands: its usage line is ours.
class UsageLine : public CLI::Formatter {
 public:
  explicit UsageLine(std::string operands) : operands_(std::move(operands)) {}
  std::string make_usage(const CLI::App* command, std::string) const override {
    return fmt::format("Usage: whybits {} {} [options]\n", command->get_name(), operands_);
  }

 private:
  std::string operands_;
};

/// "-1.5", "-.5", "-inf", "-0x1p3" and everything without a leading dash.
bool looks_like_operand(const std::string& text) {
  if (!text.starts_with('-') || text.size() < 2) return true;
  return (text[1] >= '0' && text[1] <= '9') || text[1] == '.' || text.starts_with("-inf") ||
         text.starts_with("-Inf") || text.starts_with("-INF") || text == "-nan";
}

[[noreturn]] void refuse_option(const CLI::App& command, const std::string& text) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::optional<std::string> nearest = nearest_name(text, names);
  throw UsageError(fmt::format("there is no option {}{}", text,
                               nearest ? fmt::format("; did you mean {}?", *nearest) : ""),
                   fmt::format("see whybits {} --help", command.get_name()));
}

}  // namespace

Command add_number_command(Command app, const std::string& name, const std::string& description,
                           const std::string& operands) {
  Command command = app.add_subcommand(name, description);
  command.library().allow_extras();
  command.library().formatter(std::make_shared<UsageLine>(operands));
  return command;
}

std::vector<NumberInput> read_operands(Command number_command, std::size_t count) {
  const CLI::App& command = number_command.library();
  std::vector<NumberInput> operands;
  for (const std::string& text : command.remaining()) {
    if (!looks_like_operand(text)) refuse_option(command, text);
    operands.push_back(parse_number(text));
  }
  if (count == 0 && !operands.empty())
    throw UsageError(
        fmt::format("with --stdin the numbers come from standard input, but {} given as well",
                    operands.size() == 1 ? "1 is" : fmt::format("{} are", operands.size())),
        fmt::format("leave them out, or --stdin; see whybits {} --help", command.get_name()));
  if (operands.size() != count)
    throw UsageError(fmt::format("whybits {} takes {}, not {}", command.get_name(),
                                 counted_plainly(count, "number"), operands.size()),
                     fmt::format("see whybits {} --help", command.get_name()));
  return operands;
}

}  // namespace whybits
