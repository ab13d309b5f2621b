// The state of the Sum scene: rows of numbers, added in two orders.
#pragma once

#include <cstdint>
#include <string>

#include "visualizer/model/pair_view.hpp"

namespace whybits::viz {

struct SumState {
  std::uint64_t n = 1000, rows = 1;
  std::string type = "f32", input = "uniform:1";
  std::string a = "fold(f32)", b = "pairs(f32)";  ///< notation
  PairView view;

  bool operator==(const SumState&) const = default;
};

}  // namespace whybits::viz
