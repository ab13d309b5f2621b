// What a recorded sweep says of the segments of each function.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/special/recover/segment_solver.hpp"

namespace whybits::gpu::special {

struct Observed {
  std::string_view name;    ///< of the table
  std::string_view sweeps;  ///< files that it needs, sweep_NAME.bin, separated by spaces
  whybits::special::Interpolation path;  ///< without segments
  /// By segment; `words` are those of the sweeps one after the other.
  std::vector<std::vector<Observation>> (*of)(const std::vector<std::uint32_t>& words);
};

/// In the order of the file of tables.
const std::vector<Observed>& observed_functions();

}  // namespace whybits::gpu::special
