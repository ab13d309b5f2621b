// A study as text, JSON and CSV.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/study.hpp"

namespace whybits {

/// Names output i: "[0, 55]", "row 3".
using OutputName = std::function<std::string(std::size_t)>;

std::string study_text(const Study& study, const std::vector<SchemaPtr>& topologies);
nlohmann::ordered_json study_json(const Study& study, const std::vector<SchemaPtr>& topologies);
/// One line an output. `keys` are the names of the columns that `name_cells` fills ("row,column").
std::string study_csv(const Study& study, const std::string& keys, const OutputName& name_cells);

}  // namespace whybits
