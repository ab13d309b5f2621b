// Numbers and operations as JSON: bits as hexadecimal strings, exact decimals as strings.
#pragma once

#include <nlohmann/json.hpp>

#include "lab/operation_view.hpp"

namespace whybits {

nlohmann::ordered_json to_json(const NumberView& number);
nlohmann::ordered_json to_json(const InputNumber& entry);
nlohmann::ordered_json to_json(const OperationView& view);

}  // namespace whybits
