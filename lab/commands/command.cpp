#include "lab/commands/command.hpp"

#include <CLI/CLI.hpp>
#include <utility>

namespace whybits {

CommandOption CommandOption::required(bool value) const {
  option_->required(value);
  return *this;
}

CommandOption CommandOption::type_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

CommandOption CommandOption::default_str(const std::string& text) const {
  option_->default_str(text);
  return *this;
}

CommandOption CommandOption::capture_default_str() const {
  option_->capture_default_str();
  return *this;
}

CommandOption CommandOption::excludes(const CommandOption& other) const {
  option_->excludes(other.option_);
  return *this;
}

CommandOption CommandOption::needs(const CommandOption& other) const {
  option_->needs(other.option_);
  return *this;
}

CommandOption CommandOption::delimiter(char between) const {
  option_->delimiter(between);
  return *this;
}

CommandOption CommandOption::allow_extra_args(bool value) const {
  option_->allow_extra_args(value);
  return *this;
}

CommandOption CommandOption::one_of(const std::vector<std::string>& values) const {
  option_->check(CLI::IsMember(values));
  return *this;
}

std::size_t CommandOption::count() const {
  return option_->count();
}

std::string CommandOption::get_name() const {
  return option_->get_name();
}

Command Command::add_subcommand(const std::string& name, const std::string& description) const {
  return Command(app_->add_subcommand(name, description));
}

CommandOption Command::add_option(const std::string& name, std::string& value,
                                  const std::string& description) const {
  return CommandOption(app_->add_option(name, value, description));
}

CommandOption Command::add_option(const std::string& name, std::vector<std::string>& values,
                                  const std::string& description) const {
  return CommandOption(app_->add_option(name, values, description));
}

CommandOption Command::add_value(const std::string& name, std::string& value,
                                 const std::string& kind, const std::string& description) const {
  const CommandOption option = add_option(name, value, description).type_name(kind);
  return value.empty() ? option : option.capture_default_str();
}

CommandOption Command::add_read_option(const std::string& name,
                                       std::function<void(const std::string&)> read,
                                       const std::string& description) const {
  return CommandOption(app_->add_option_function<std::string>(name, read, description));
}

CommandOption Command::add_flag(const std::string& name, bool& value,
                                const std::string& description) const {
  return CommandOption(app_->add_flag(name, value, description));
}

void Command::footer(const std::string& text) const {
  app_->footer(text);
}

void Command::callback(std::function<void()> run) const {
  app_->callback(std::move(run));
}

void Command::require_subcommand(std::size_t least, std::size_t most) const {
  app_->require_subcommand(least, most);
}

void Command::fallthrough(bool value) const {
  app_->fallthrough(value);
}

void Command::group(const std::string& name) const {
  app_->group(name);
}

bool Command::chose_subcommand() const {
  return !app_->get_subcommands().empty();
}

}  // namespace whybits
