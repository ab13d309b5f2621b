#include "visualizer/model/strip_steps.hpp"

#include "sim/notation.hpp"

namespace whybits::viz {

StripSteps strip_steps(const Ribbons& ribbons, std::size_t ribbon, const Trace& trace) {
  const std::span<const std::int64_t> steps = ribbons.steps(ribbon);
  StripSteps out{steps.size(), {}};
  while (out.steps > 0 && trace.node(steps[out.steps - 1]).is_rounding) --out.steps;
  if (out.steps < steps.size())
    out.rounded_to = conversion_name(trace.node(steps.back()).conversion);
  return out;
}

}  // namespace whybits::viz
