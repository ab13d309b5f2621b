// Shell completion, written from the command line's own description so that it cannot lag behind.
#include <fmt/format.h>

#include <memory>

#include "lab/commands/commands.hpp"

namespace whybits {
namespace {

struct Words {
  std::string command;
  std::string description;
  std::vector<std::string> options;
};

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
    Words words{command->get_name(), plain(command->get_description()), {}};
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) words.options.push_back("--" + name);
    all.push_back(std::move(words));
  }
  return all;
}

std::vector<std::string> names(const std::vector<Words>& all) {
  std::vector<std::string> list;
  for (const Words& words : all) list.push_back(words.command);
  return list;
}

std::string bash(const std::vector<Words>& all) {
  std::string cases;
  for (const Words& words : all)
    cases += fmt::format("    {}) words=\"{}\" ;;\n", words.command, fmt::join(words.options, " "));
  return fmt::format(R"(_whybits() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{}" -- "$current"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{}  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}}
complete -o filenames -F _whybits whybits
)",
                     fmt::join(names(all), " "), cases);
}

std::string zsh(const std::vector<Words>& all) {
  std::string commands;
  std::string cases;
  for (const Words& words : all) {
    commands += fmt::format("    '{}:{}'\n", words.command, words.description);
    cases += fmt::format("    {}) options=({}) ;;\n", words.command, fmt::join(words.options, " "));
  }
  return fmt::format(R"(#compdef whybits
_whybits() {{
  local -a commands options
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  case "$words[2]" in
{}  esac
  if [[ "$PREFIX" == -* ]]; then
    compadd -- $options
  else
    _files
  fi
}}
compdef _whybits whybits
)",
                     commands, cases);
}

std::string fish(const std::vector<Words>& all) {
  std::string out;
  for (const Words& words : all) {
    out += fmt::format("complete -c whybits -n __fish_use_subcommand -f -a {} -d '{}'\n",
                       words.command, words.description);
    for (const std::string& option : words.options)
      out += fmt::format("complete -c whybits -n '__fish_seen_subcommand_from {}' -l {}\n",
                         words.command, option.substr(2));
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
