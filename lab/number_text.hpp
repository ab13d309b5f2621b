// Numbers and operations as text for a terminal of 80 columns.
#pragma once

#include <string>
#include <vector>

#include "lab/operation_view.hpp"

namespace whybits {

/// Everything about one number, fields to neighbours.
std::string number_block(const InputNumber& entry, bool colour);

/// The same input in several formats, two lines each.
std::string number_table(const std::vector<InputNumber>& entries, bool colour);

/// Operands, exact result, what was kept and dropped, a number line, and why.
std::string operation_text(const OperationView& view, bool colour);

}  // namespace whybits
