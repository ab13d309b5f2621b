// How many steps a strip has, and what it is rounded to at its end: a written rounding is a step of
// the trace, but nobody counts it among those that add.
#pragma once

#include <cstdint>
#include <string>

#include "lab/ribbons.hpp"

namespace whybits::viz {

struct StripSteps {
  std::uint64_t steps = 0;  ///< without the roundings at its end
  std::string rounded_to;   ///< by the last of these, "bf16"; empty without one
};
/// Of one ribbon. O(roundings at its end).
StripSteps strip_steps(const Ribbons& ribbons, std::size_t ribbon, const Trace& trace);

}  // namespace whybits::viz
