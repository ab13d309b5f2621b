#pragma once

#include <string>

#include "lab/operation_view.hpp"

namespace whybits {

/// Why an operation gave its result: one plain sentence or two, from the other fields of the view.
std::string explain_rounding(const OperationView& view);

/// "to nearest even", "toward zero", …: how a rounding is called inside a sentence.
std::string_view rounding_phrase(Rounding rounding);

}  // namespace whybits
