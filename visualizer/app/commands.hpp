// Everything that can be done by name: keys and the palette both read this table.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "visualizer/draw/keys.hpp"

namespace whybits::viz {

class Application;

struct Command {
  std::string name;  ///< "zoom.in": text "command.zoom.in"; presets have their own
  Chord chord;       ///< none: palette only
  std::function<void(Application&)> run;
  std::function<std::string()> label;  ///< instead of the text table: titles of presets
};

std::vector<Command> make_commands();
std::string command_label(const Command& command);

/// Writes "whybits-STEM-NNN.EXTENSION" into the application's folder under a number that is not
/// taken, and says so, or why not. UsageError of `make` is said too.
void save_export(Application& application, const std::string& stem, const std::string& extension,
                 const std::function<std::string()>& make);

}  // namespace whybits::viz
