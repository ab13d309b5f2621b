// Where exp, log and 1/√ of a prediction come from: rows of elementwise functions.
#pragma once

#include <span>
#include <string>

#include "exact/oracle.hpp"
#include "sim/libraries/element_functions.hpp"

namespace whybits {

/// f rounded correctly from f32 to f32: in double where that settles the rounding, else by the
/// oracle.
Bits correct_function(exact::Function function, Bits x);

/// All rows; the first one is the default.
std::span<const ElementFunctions> element_functions();
/// Errors: UsageError naming the option, the value and the rows that there are.
const ElementFunctions& element_functions(const std::string& option, const std::string& name);

}  // namespace whybits
