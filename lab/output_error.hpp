// How far one output is from exact under a topology, and how far it could be.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sim/trace.hpp"

namespace whybits {

struct OutputError {
  Dyadic error;                      ///< result − exact
  double in_ulps = 0;                ///< in units of the result's last place
  double relative = 0;               ///< |error| / |exact|; infinite where only exact is 0
  Dyadic ledger_bound;               ///< Σ|discarded|
  std::optional<Dyadic> tree_bound;  ///< before the run; none where saturation may hide an overflow
  double condition = 1;              ///< Σ|leaf| / |Σ leaf|
};

/// nullopt if a value is not finite, or if the topology does not add every leaf (and c) once: then
/// its rounding error is not the distance from the exact sum. Operands count as often as it adds
/// them.
std::optional<OutputError> output_error(const Reduction& reduction, const Trace& trace,
                                        const Leaves& leaves);

/// A table of both with the condition number above it; "" if neither is known. Lines begin with two
/// blanks.
std::string output_errors_text(const std::optional<OutputError>& a,
                               const std::optional<OutputError>& b);
nlohmann::ordered_json output_error_json(const std::optional<OutputError>& error);

}  // namespace whybits
