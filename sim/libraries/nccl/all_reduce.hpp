// ncclAllReduce: from version, ranks, size, type and settings to the topology of every element.
//
// A Ring adds every element along the ring from the rank after its chunk's owner. A Tree on one
// node is a chain from the last rank of the channel's list to its first; between nodes of one rank
// each it is one of the two binary trees of a double tree, by the channel. Every add rounds to the
// storage type: there is no wider accumulator. docs/allreduce.md says what was measured.
#pragma once

#include <string>
#include <vector>

#include "sim/libraries/nccl/partition.hpp"
#include "sim/schema.hpp"

namespace whybits::nccl {

/// What else decides the order.
struct Context {
  bool in_place = false;
  bool graph_capture = false;
  bool registered = false;  ///< both buffers, by the user
};

struct Request {
  Version version;
  std::uint64_t count = 0;
  Format type = formats::f32;
  Machine machine;  ///< before the settings limit its channels
  Settings settings;
  Context context;
};

struct Prediction {
  Choice choice;
  const Rules* rules = nullptr;
  std::vector<Part> parts;  ///< none of Partition::interleaved
  TopologyMap map;          ///< over all elements, without gaps
  std::string rule;         ///< why this algorithm, protocol and number of channels
};

/// The sum, and the maximum with the units of one. Average: leaves are the inputs times 1/ranks,
/// rounded to the type. Errors: ConfigurationError.
Prediction predict_all_reduce(const Request& request);
/// The same by rules that no release has: for controls.
Prediction predict_all_reduce(const Request& request, const Rules& rules);

/// One add of the type as NCCL's kernels do it: in fp8 by way of f16, saturating.
/// Errors: ConfigurationError for types that are not added.
Unit storage_add(const Format& type);

}  // namespace whybits::nccl
