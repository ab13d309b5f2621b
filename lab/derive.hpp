// What a recording's own topology would be if the file did not state it: from what the library
// reported, by the models of sim/libraries.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "lab/recording.hpp"
#include "sim/libraries/cublaslt/rules.hpp"

namespace whybits {

struct DerivedTopology {
  std::variant<SchemaPtr, TopologyMap> topology;
  std::optional<Conversion> operands;  ///< both operands are rounded so first
  std::string rule;                    ///< "nvjet (algorithm id 66)"
};

/// The topology from the recording's `algorithm`, or why there is none. Errors: UsageError for a
/// field that is missing or is no number.
std::variant<DerivedTopology, std::string> derive_from_fields(const Recording& recording);

/// The fields as a recording has them. Errors: UsageError.
cublaslt::Algorithm read_algorithm(const nlohmann::json& fields, const std::string& file);
nlohmann::json algorithm_json(const cublaslt::Algorithm& algorithm);

/// How many clusters of 1, 2, … blocks the GPU holds at once, if the recording says so; else none.
/// Errors: UsageError.
std::vector<std::uint32_t> recorded_clusters(const Recording& recording);

/// What the library was asked; or why no rule can know it. Errors: UsageError for settings of the
/// wrong kind.
std::variant<cublaslt::Problem, std::string> cublaslt_problem(const Recording& recording);

}  // namespace whybits
