// Shell completion, written from the command line's own description so that it cannot lag behind.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "lab/commands/commands.hpp"
#include "sim/format.hpp"
#include "sim/libraries/cublaslt/problem.hpp"
#include "sim/rounding.hpp"

namespace whybits {
namespace {

/// What may stand in a place of the command line.
struct Values {
  enum class Kind { nothing, words, files } kind = Kind::nothing;
  std::vector<std::string> words;
};

struct OptionWords {
  std::string name;  ///< with its dashes
  bool takes_value = false;
  Values values;
};

struct Words {
  std::string command;
  std::string description;
  std::vector<OptionWords> options;
  Values operands;
};

Values words(std::vector<std::string> list) {
  return {Values::Kind::words, std::move(list)};
}

Values format_names() {
  std::vector<std::string> names;
  for (const auto* formats : {&named_formats(), &scale_formats()})
    for (const NamedFormat& format : *formats) names.emplace_back(format.name);
  return words(std::move(names));
}

Values rounding_names() {
  std::vector<std::string> names;
  for (const Rounding rounding : all_roundings) names.emplace_back(rounding_name(rounding));
  return words(std::move(names));
}

/// By the kind that an option's help names.
Values values_of(const CLI::Option& option) {
  const std::string kind = option.get_type_name();
  if (kind == "FORMAT") return format_names();
  if (kind == "RULE") return rounding_names();
  if (kind == "FILE") return {Values::Kind::files, {}};
  if (kind == "LEAF") return words({"value", "product"});
  if (kind == "before|after") return words({"before", "after"});
  if (kind == "NN|TN") return words({"NN", "TN"});
  if (kind == "TYPES") {
    std::vector<std::string> names(cublaslt::type_kind_names.begin(),
                                   cublaslt::type_kind_names.end());
    return words(std::move(names));
  }
  if (kind == "INPUT")
    return words(
        {"uniform:", "wide:", "bits:", "ones", "linspace:", "hex:", "npy:", "safetensors:"});
  return {};
}

/// What may follow a command: its own commands where it has some.
Values operands_of(const CLI::App& app) {
  const std::string& command = app.get_name();
  std::vector<std::string> inner;
  for (const CLI::App* one : app.get_subcommands({})) inner.push_back(one->get_name());
  if (!inner.empty()) return words(std::move(inner));
  if (command == "completion") return words({"bash", "zsh", "fish"});
  if (command == "compare" || command == "verify" || command == "explain")
    return {Values::Kind::files, {}};
  return {};
}

/// A description up to its first line's end, without quotes that a shell would see.
std::string plain(std::string text) {
  text = text.substr(0, text.find('\n'));
  std::erase_if(text, [](char c) { return c == '\'' || c == '"' || c == '`' || c == '$'; });
  return text;
}

std::vector<Words> describe(const CLI::App& app) {
  std::vector<Words> all;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_group().empty()) continue;  // not in the help text
    Words about{command->get_name(), plain(command->get_description()), {}, operands_of(*command)};
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames())
        about.options.push_back(
            {"--" + name, option->get_items_expected_max() > 0, values_of(*option)});
    all.push_back(std::move(about));
  }
  return all;
}

std::vector<std::string> names(const std::vector<Words>& all) {
  std::vector<std::string> list;
  for (const Words& about : all) list.push_back(about.command);
  return list;
}

std::vector<std::string> option_names(const Words& about) {
  std::vector<std::string> list;
  for (const OptionWords& option : about.options) list.push_back(option.name);
  return list;
}

/// Lines `    pattern) reply ;;` of a shell's case over "COMMAND OPTION", for options with a value,
/// then over COMMAND alone, for operands. `reply` makes what the shell does with values.
template <class Reply>
std::string value_cases(const std::vector<Words>& all, Reply reply) {
  std::string cases;
  for (const Words& about : all) {
    for (const OptionWords& option : about.options)
      if (option.takes_value)
        cases +=
            fmt::format("    \"{} {}\") {} ;;\n", about.command, option.name, reply(option.values));
    cases += fmt::format("    \"{} \"*) {} ;;\n", about.command, reply(about.operands));
  }
  return cases;
}

std::string bash(const std::vector<Words>& all) {
  std::string options;
  for (const Words& about : all)
    options += fmt::format("      {}) COMPREPLY=($(compgen -W \"{}\" -- \"$current\")) ;;\n",
                           about.command, fmt::join(option_names(about), " "));
  const std::string values = value_cases(all, [](const Values& v) -> std::string {
    if (v.kind == Values::Kind::nothing) return ":";
    if (v.kind == Values::Kind::words)
      return fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$current\"))",
                         fmt::join(v.words, " "));
    return "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$current\"))";
  });
  return fmt::format(R"(_whybits() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD - 1]}}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{}" -- "$current"))
    return
  fi
  if [[ "$current" == -* ]]; then
    case "${{COMP_WORDS[1]}}" in
{}    esac
    return
  fi
  case "${{COMP_WORDS[1]}} $previous" in
{}  esac
}}
complete -F _whybits whybits
)",
                     fmt::join(names(all), " "), options, values);
}

std::string zsh(const std::vector<Words>& all) {
  std::string commands;
  std::string options;
  for (const Words& about : all) {
    commands += fmt::format("    '{}:{}'\n", about.command, about.description);
    options += fmt::format("      {}) compadd -- {} ;;\n", about.command,
                           fmt::join(option_names(about), " "));
  }
  const std::string values = value_cases(all, [](const Values& v) -> std::string {
    if (v.kind == Values::Kind::nothing) return ":";
    if (v.kind == Values::Kind::words) return fmt::format("compadd -- {}", fmt::join(v.words, " "));
    return "_files";
  });
  return fmt::format(R"(#compdef whybits
_whybits() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  if [[ "$PREFIX" == -* ]]; then
    case "$words[2]" in
{}    esac
    return
  fi
  case "$words[2] $words[CURRENT-1]" in
{}  esac
}}
compdef _whybits whybits
)",
                     commands, options, values);
}

std::string fish(const std::vector<Words>& all) {
  const auto arguments = [](const Values& v) -> std::string {
    if (v.kind == Values::Kind::files) return "-F";
    if (v.kind == Values::Kind::nothing) return "-f";
    return fmt::format("-f -a '{}'", fmt::join(v.words, " "));
  };
  std::string out;
  for (const Words& about : all) {
    out += fmt::format("complete -c whybits -n __fish_use_subcommand -f -a {} -d '{}'\n",
                       about.command, about.description);
    const std::string seen =
        fmt::format("complete -c whybits -n '__fish_seen_subcommand_from {}'", about.command);
    out += fmt::format("{} {}\n", seen, arguments(about.operands));
    for (const OptionWords& option : about.options)
      out += fmt::format("{} -l {}{}\n", seen, option.name.substr(2),
                         option.takes_value ? " -r " + arguments(option.values) : "");
  }
  return out;
}

}  // namespace

void add_completion_command(CLI::App& app, CommandContext& context) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "A completion script for your shell");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "Examples:\n"
      "  source <(whybits completion bash)\n"
      "  whybits completion fish > ~/.config/fish/completions/whybits.fish");
  command->callback([shell, &app, &context] {
    const std::vector<Words> all = describe(app);
    context.out << (*shell == "bash" ? bash(all) : *shell == "zsh" ? zsh(all) : fish(all));
  });
}

}  // namespace whybits
