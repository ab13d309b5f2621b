// Verifications as text and JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/verify.hpp"

namespace whybits {

/// Every file's line, controls below it, then the totals by basis.
std::string verifications_text(const std::vector<Verification>& list);
nlohmann::ordered_json verifications_json(const std::vector<Verification>& list);
/// One line a file.
std::string verifications_csv(const std::vector<Verification>& list);

}  // namespace whybits
