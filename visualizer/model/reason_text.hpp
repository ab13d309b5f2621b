#pragma once

#include <string>

#include "lab/operation_view.hpp"

namespace whybits::viz {

/// Why an operation gave its result, in the language of the screen; in English what `whybits` says.
std::string reason_text(const OperationView& view);

}  // namespace whybits::viz
