// From one output's leaves and two topologies to everything that is drawn of it.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "visualizer/model/pair_result.hpp"

namespace whybits::viz {

struct StoryRequest {
  std::uint64_t output = 0;
  std::string name;
  KeptLeaves leaves;
  SchemaPtr a, b;
};
std::shared_ptr<const StoryModel> make_story(StoryRequest request);

/// What people call a topology: one chain, 4 slices, 256 lanes; else the notation without its last
/// rounding.
Phrase topology_name(const Schema& schema, std::uint64_t n);
/// Of two topologies that differ, so that what differs is said: by their steps or units where what
/// people call them is the same, else by the notation.
std::pair<Phrase, Phrase> different_names(const Schema& a, const Schema& b, std::uint64_t n);

CommonParts common_parts(const SplitReduction& a, const SplitReduction& b);

}  // namespace whybits::viz
