// NCCL recordings and NCCL's model: what a file says of version, settings and machine becomes a
// request, and the map of the whole message comes back, with the wrong neighbours of it.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lab/recording.hpp"
#include "sim/libraries/nccl/all_reduce.hpp"

namespace whybits {

/// The request that a recording describes, or why the model does not know it. Settings are NCCL_*
/// variables as texts and the truth values in_place, graph_capture and registered. Errors:
/// UsageError for settings of the wrong kind.
std::variant<nccl::Request, std::string> nccl_request(const Recording& recording);

struct MapControl {
  std::string name;
  TopologyMap map;
};
/// Wrong models of the same call: 2.22's cells, a last chunk that is not rounded to 16 bytes,
/// chunk q starting at rank q, one tree for a double tree, a wider accumulator, ascending ranks and
/// pairs. Those that give the same map are left out.
std::vector<MapControl> nccl_controls(const nccl::Request& request, const TopologyMap& map);

}  // namespace whybits
