// A command of the program and its options. The library that parses the command line (CLI11) is
// headers only, and half of the time to compile a command went into them: commands know these two
// handles, and command.cpp alone knows the library.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace whybits {

/// An option or operand; a handle, used like a pointer. What it sets must outlive the command line.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option* option) : option_(option) {}
  const CommandOption* operator->() const { return this; }

  CommandOption required(bool value = true) const;
  /// What stands for the value in the help text; "" for nothing.
  CommandOption type_name(const std::string& name) const;
  CommandOption default_str(const std::string& text) const;
  /// The help text shows the value that the variable has now.
  CommandOption capture_default_str() const;
  CommandOption excludes(const CommandOption& other) const;
  CommandOption needs(const CommandOption& other) const;
  /// One argument may hold several values with this between them.
  CommandOption delimiter(char between) const;
  /// False: each naming takes one argument.
  CommandOption allow_extra_args(bool value) const;
  CommandOption one_of(const std::vector<std::string>& values) const;

  std::size_t count() const;  ///< how often it was given
  std::string get_name() const;

 private:
  CLI::Option* option_;
};

/// A command, or the program itself; a handle, used like a pointer.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}
  const Command* operator->() const { return this; }
  CLI::App& library() const { return *app_; }

  Command add_subcommand(const std::string& name, const std::string& description) const;
  CommandOption add_option(const std::string& name, std::string& value,
                           const std::string& description) const;
  /// May be given several times.
  CommandOption add_option(const std::string& name, std::vector<std::string>& values,
                           const std::string& description) const;
  /// An option of text whose value is called `kind`; the help text shows the value it has now.
  CommandOption add_value(const std::string& name, std::string& value, const std::string& kind,
                          const std::string& description) const;
  /// `read` gets the value of each naming; what it throws ends parsing.
  CommandOption add_read_option(const std::string& name,
                                std::function<void(const std::string&)> read,
                                const std::string& description) const;
  CommandOption add_flag(const std::string& name, bool& value,
                         const std::string& description) const;
  void footer(const std::string& text) const;
  void callback(std::function<void()> run) const;
  void require_subcommand(std::size_t least, std::size_t most) const;
  void require_subcommand(std::size_t exactly) const { require_subcommand(exactly, exactly); }
  /// Options that a subcommand does not know are looked for here.
  void fallthrough(bool value = true) const;
  /// "" hides it from the help text.
  void group(const std::string& name) const;
  /// After parsing.
  bool chose_subcommand() const;

 private:
  CLI::App* app_;
};

}  // namespace whybits
