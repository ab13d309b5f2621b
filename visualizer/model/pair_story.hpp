// From one output's leaves and two topologies to everything that is drawn of it.
#pragma once

#include <memory>
#include <string>

#include "visualizer/model/pair_result.hpp"

namespace whybits::viz {

struct StoryRequest {
  std::uint64_t output = 0;
  std::string name;
  KeptLeaves leaves;
  SchemaPtr a, b;
};
std::shared_ptr<const StoryModel> make_story(StoryRequest request);

/// What people call a topology: one chain, 4 slices; else the notation without its last rounding.
Phrase topology_name(const Schema& schema, std::uint64_t n);

}  // namespace whybits::viz
