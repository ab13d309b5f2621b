// Commands of the scenes that compare two computations: levels, moving, folding, data.
#pragma once

#include <vector>

#include "visualizer/app/commands.hpp"

namespace whybits::viz {

void add_pair_commands(std::vector<Command>& list);

}  // namespace whybits::viz
