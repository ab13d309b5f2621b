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
  std::string label;  ///< instead of the text table: titles of presets
};

std::vector<Command> make_commands();
std::string command_label(const Command& command);

}  // namespace whybits::viz
