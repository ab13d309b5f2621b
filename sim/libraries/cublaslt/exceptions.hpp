// Fields for which an H200 gave other bits than the rule of their algorithm says.
#pragma once

#include <optional>

#include "sim/libraries/cublaslt/rules.hpp"

namespace whybits::cublaslt {

/// Why there is no topology for these fields although their algorithm has a rule.
std::optional<NoRule> measured_otherwise(const Problem& problem, const Algorithm& algorithm);

}  // namespace whybits::cublaslt
