// Parts of a state as JSON, read strictly: what scenes share.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "lab/json_field.hpp"
#include "visualizer/model/pair_view.hpp"

namespace whybits::viz {

/// Only what is not as in a new view.
nlohmann::ordered_json view_json(const PairView& view);
PairView read_view(const JsonField& field);

bool read_bool(const JsonField& field);
/// A finite number from `lowest` to `highest`.
double read_real(const JsonField& field, double lowest, double highest);
/// At most so many bytes, no control characters.
std::string read_short_text(const JsonField& field, std::size_t most = 4096);
std::string read_format(const JsonField& field);    ///< the name of a format
std::string read_input(const JsonField& field);     ///< an input of the command line
std::string read_topology(const JsonField& field);  ///< notation; complaints have a caret

/// " --step B,224" if a step is chosen.
std::string step_argument(const PairView& view);

}  // namespace whybits::viz
