#include "lab/map_json.hpp"

#include <nlohmann/json.hpp>

#include "sim/notation.hpp"

namespace whybits {

nlohmann::ordered_json map_json(const TopologyMap& map) {
  auto regions = nlohmann::ordered_json::array();
  for (const MapRegion& region : map.regions)
    regions.push_back(
        {{"begin", region.begin}, {"end", region.end}, {"topology", print(*region.topology)}});
  return regions;
}

}  // namespace whybits
