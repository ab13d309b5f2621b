// Maps as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/schema.hpp"

namespace whybits {

/// One entry a region: elements [begin, end) and their topology.
nlohmann::ordered_json map_json(const TopologyMap& map);

}  // namespace whybits
