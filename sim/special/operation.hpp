// A special function as a step of a recipe.
#pragma once

#include "sim/map_operation.hpp"
#include "sim/special/catalog.hpp"

namespace whybits::special {

/// f32 → f32, for whole tensors: Map{special::operation("rsqrtf"), {"x"}}.
/// Throws std::invalid_argument if there is no function of that name.
MapOperation operation(std::string_view function, Mode mode = Mode::standard);

}  // namespace whybits::special
