// Explanations as text and JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "lab/explain/explain.hpp"

namespace whybits {

std::string explanation_text(const Explanation& explanation, const Observed& observed);
nlohmann::ordered_json explanation_json(const Explanation& explanation, const Observed& observed);

}  // namespace whybits
