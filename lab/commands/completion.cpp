// Shell completion, written from the command line's own description so that it cannot lag behind.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "lab/commands/commands.hpp"
#include "sim/builders/all_reduce.hpp"
#include "sim/format.hpp"
#include "sim/libraries/cublaslt/atlas.hpp"
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
  std::string command;  ///< "gemm"; of one inside of another "predict nccl"
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

Values all_reduce_algorithms() {
  std::vector<std::string> names{"nccl"};
  for (const AllReduceName& known : all_reduce_names) names.emplace_back(known.name);
  return words(std::move(names));
}

Values layer_names() {
  std::vector<std::string> names;
  for (const cublaslt::Layer& layer : cublaslt::layers) names.emplace_back(layer.name);
  return words(std::move(names));
}

Values type_kinds() {
  return words({cublaslt::type_kind_names.begin(), cublaslt::type_kind_names.end()});
}

Values input_forms() {
  return words({"uniform:", "wide:", "outliers:", "bits:", "ones",
                "linspace:", "hex:", "npy:", "safetensors:"});
}

Values files() {
  return {Values::Kind::files, {}};
}

/// What stands for a kind of value in help texts, and the values.
struct KindOfValue {
  std::string_view name;
  Values (*values)();
};
constexpr KindOfValue kinds[] = {
    {"FORMAT", format_names},
    {"RULE", rounding_names},
    {"ALGORITHM", all_reduce_algorithms},
    {"LAYER", layer_names},
    {"TYPES", type_kinds},
    {"INPUT", input_forms},
    {"LEAF", [] { return words({"value", "product"}); }},
    {"SHELL", [] { return words({"bash", "zsh", "fish"}); }},
    {"FILE", files},
    {"DUMP", files},
    {"SUITE", files},
    {"FOLDER", files},
    {"DIR", files},
};

/// By the name of its kind; "before|after" are the values themselves.
Values values_of_kind(std::string_view kind) {
  for (const KindOfValue& known : kinds)
    if (known.name == kind) return known.values();
  if (kind.find('|') == std::string_view::npos) return {};
  std::vector<std::string> list;
  while (true) {
    const std::size_t bar = kind.find('|');
    list.emplace_back(kind.substr(0, bar));
    if (bar == std::string_view::npos) return words(std::move(list));
    kind.remove_prefix(bar + 1);
  }
}

/// What may follow a command: its own commands where it has some, else its first operand.
Values operands_of(const CLI::App& app) {
  std::vector<std::string> inner;
  for (const CLI::App* one : app.get_subcommands({})) inner.push_back(one->get_name());
  if (!inner.empty()) return words(std::move(inner));
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    Values values = values_of_kind(option->get_type_name());
    if (values.kind == Values::Kind::nothing) values = values_of_kind(option->get_name(true));
    return values;
  }
  return {};
}

/// A description up to its first line's end, without quotes that a shell would see.
std::string plain(std::string text) {
  text = text.substr(0, text.find('\n'));
  std::erase_if(text, [](char c) { return c == '\'' || c == '"' || c == '`' || c == '$'; });
  return text;
}

/// Commands, each behind those inside of it: a shell takes the first pattern that fits.
void describe(const CLI::App& app, const std::string& outer, std::vector<Words>& all) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_group().empty()) continue;  // not in the help text
    Words about{
        outer + command->get_name(), plain(command->get_description()), {}, operands_of(*command)};
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames())
        about.options.push_back({"--" + name, option->get_items_expected_max() > 0,
                                 values_of_kind(option->get_type_name())});
    describe(*command, outer + command->get_name() + " ", all);
    all.push_back(std::move(about));
  }
}

bool is_inner(const Words& about) {
  return about.command.find(' ') != std::string::npos;
}

/// Commands that stand alone, or those inside of others.
std::vector<std::string> names(const std::vector<Words>& all, bool inner) {
  std::vector<std::string> list;
  for (const Words& about : all)
    if (is_inner(about) == inner) list.push_back(about.command);
  return list;
}

std::vector<std::string> option_names(const Words& about) {
  std::vector<std::string> list;
  for (const OptionWords& option : about.options) list.push_back(option.name);
  return list;
}

/// `"predict nccl"|"gates gemm"`: a shell's pattern for commands inside of others.
std::string inner_pattern(const std::vector<Words>& all) {
  return fmt::format("\"{}\"", fmt::join(names(all, true), "\"|\""));
}

/// Lines `    pattern) reply ;;` of a shell's case over "COMMAND OPTION", for options with a value,
/// then over the COMMAND's own last word, for operands. `reply` makes what the shell does with
/// values.
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
    options += fmt::format("      \"{}\") COMPREPLY=($(compgen -W \"{}\" -- \"$current\")) ;;\n",
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
  local used="${{COMP_WORDS[1]}}"
  if [ "$COMP_CWORD" -gt 2 ]; then
    case "$used ${{COMP_WORDS[2]}}" in
      {}) used="$used ${{COMP_WORDS[2]}}" ;;
    esac
  fi
  if [[ "$current" == -* ]]; then
    case "$used" in
{}    esac
    return
  fi
  case "$used $previous" in
{}  esac
}}
complete -F _whybits whybits
)",
                     fmt::join(names(all, false), " "), inner_pattern(all), options, values);
}

std::string zsh(const std::vector<Words>& all) {
  std::string commands;
  std::string options;
  for (const Words& about : all) {
    if (!is_inner(about))
      commands += fmt::format("    '{}:{}'\n", about.command, about.description);
    options += fmt::format("      \"{}\") compadd -- {} ;;\n", about.command,
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
  local used="$words[2]"
  if (( CURRENT > 3 )); then
    case "$used $words[3]" in
      {}) used="$used $words[3]" ;;
    esac
  fi
  if [[ "$PREFIX" == -* ]]; then
    case "$used" in
{}    esac
    return
  fi
  case "$used $words[CURRENT-1]" in
{}  esac
}}
compdef _whybits whybits
)",
                     commands, inner_pattern(all), options, values);
}

std::string fish(const std::vector<Words>& all) {
  const auto arguments = [](const Values& v) -> std::string {
    if (v.kind == Values::Kind::files) return "-F";
    if (v.kind == Values::Kind::nothing) return "-f";
    return fmt::format("-f -a '{}'", fmt::join(v.words, " "));
  };
  std::string out = R"(function __whybits_in
    set -l line (commandline -opc)
    set -l last (math (count $argv) + 1)
    test (count $line) -ge $last; and test "$line[2..$last]" = "$argv"
end
)";
  for (const Words& about : all) {
    if (!is_inner(about))
      out += fmt::format("complete -c whybits -n __fish_use_subcommand -f -a {} -d '{}'\n",
                         about.command, about.description);
    const std::string seen = fmt::format("complete -c whybits -n '__whybits_in {}'", about.command);
    out += fmt::format("{} {}\n", seen, arguments(about.operands));
    for (const OptionWords& option : about.options)
      out += fmt::format("{} -l {}{}\n", seen, option.name.substr(2),
                         option.takes_value ? " -r " + arguments(option.values) : "");
  }
  return out;
}

}  // namespace

void add_completion_command(Command app, CommandContext& context) {
  auto shell = std::make_shared<std::string>();
  const Command command = app.add_subcommand("completion", "A completion script for your shell");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->one_of({"bash", "zsh", "fish"});
  command->footer(
      "Examples:\n"
      "  source <(whybits completion bash)\n"
      "  whybits completion fish > ~/.config/fish/completions/whybits.fish");
  command->callback([shell, app, &context] {
    std::vector<Words> all;
    describe(app.library(), "", all);
    context.out << (*shell == "bash" ? bash(all) : *shell == "zsh" ? zsh(all) : fish(all));
  });
}

}  // namespace whybits
